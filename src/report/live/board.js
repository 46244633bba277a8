// What all pages share: words and choices, elements, and for those that show boards positions and their drawing.
// Every text of a game, an engine or a file becomes a text node, never markup. Start at `speak` and `Drawing`.
'use strict';
const chuhe = (() => {
const WORDS = {
  settings: ['Settings', '设置'], notation: ['Moves', '着法'], coordinates: ['Coordinates', '坐标'], chinese: ['Chinese', '中文'],
  pieces: ['Pieces', '棋子'], flip: ['Turn the boards', '翻转棋盘'], red: ['Red', '红方'], black: ['Black', '黑方'],
  board: ['Board', '棋盘'], moves: ['Moves', '着法'], toMove: ['to move', '走棋'], asText: ['Position as text', '局面文字'],
};
// Keeps a value for the next time, or gives it again; `store` is `sessionStorage` for what only this tab may know.
const remember = (key, value, store = 'localStorage') => { try { if (value === undefined) return window[store].getItem('chuhe-' + key); window[store].setItem('chuhe-' + key, value); } catch { return null; } };
const $ = id => document.getElementById(id);
// What the reader has chosen.
const look = { zh: remember('lang') ? remember('lang') === 'zh' : /^zh/i.test(navigator.language), flipped: false };
look.notation = +(remember('notation') ?? (look.zh ? 2 : 1));
look.pieces = remember('pieces') ?? (look.zh ? 'zh' : 'en');
const t = key => WORDS[key][look.zh ? 1 : 0];
const two = value => value ? (look.zh ? value.zh : value.en) : '';
const DISTURBING = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const clean = text => String(text ?? '').replace(DISTURBING, ' ');

// Elements; children are nodes or texts.
const SVG = 'http://www.w3.org/2000/svg';
const fill = (node, attributes, children) => {
  for (const [name, value] of Object.entries(attributes ?? {})) if (value !== null && value !== false) node.setAttribute(name, value === true ? '' : value);
  for (const child of children.flat()) if (child !== null && child !== undefined) node.append(child.nodeType ? child : clean(child));
  return node;
};
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const sv = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
// A part of the page is made anew only when it changed; the focus stays where it was.
const part = (box, stamp, make) => {
  if (box.stamp === stamp) return;
  box.stamp = stamp;
  const focus = box.contains(document.activeElement) ? document.activeElement.dataset.k : null;
  const lists = [...box.querySelectorAll('.list,.scroll')].map(list => [list.scrollTop, list.scrollLeft]);
  const open = new Set([...box.querySelectorAll('details[open]')].map(one => one.dataset.k));
  // Nodes that were there before stay where they are.
  const made = make();
  made.forEach((node, i) => { if (box.childNodes[i] !== node) box.insertBefore(node, box.childNodes[i] ?? null); });
  while (box.childNodes.length > made.length) box.lastChild.remove();
  [...box.querySelectorAll('.list,.scroll')].forEach((list, i) => { if (lists[i]) [list.scrollTop, list.scrollLeft] = lists[i]; });
  for (const one of box.querySelectorAll('details')) if (open.has(one.dataset.k)) one.open = true;
  if (focus) [...box.querySelectorAll('[data-k]')].find(one => one.dataset.k === focus)?.focus();
};

// Positions: 90 letters, a0 first.
const start = fen => {
  const cells = Array(90).fill('.');
  fen.split(' ')[0].split('/').slice(0, 10).forEach((row, down) => {
    let file = 0;
    for (const letter of row) { if (/\d/.test(letter)) file += +letter; else if (file < 9) cells[(9 - down) * 9 + file++] = letter; }
  });
  return cells;
};
const at = (text, from) => text.charCodeAt(from) - 97 + 9 * (text.charCodeAt(from + 1) - 48);
const isMove = text => /^[a-i]\d[a-i]\d$/.test(text);
const position = (board, upto) => {
  const cells = start(board.fen);
  for (const [mv] of board.moves.slice(0, upto)) if (isMove(mv)) { cells[at(mv, 2)] = cells[at(mv, 0)]; cells[at(mv, 0)] = '.'; }
  return cells;
};
const blackFirst = board => board.fen.split(' ')[1] === 'b';
const isBlack = (board, index) => blackFirst(board) !== (index % 2 === 1);
const number = (board, index) => Math.floor((index + (blackFirst(board) ? 1 : 0)) / 2) + 1;
// A move is [coordinates, WXF, Chinese, ..].
const words = move => move[look.notation] ?? move[0];

// The drawing of a board.
const CHINESE = {K:'帥',A:'仕',B:'相',N:'傌',R:'俥',C:'炮',P:'兵',k:'將',a:'士',b:'象',n:'馬',r:'車',c:'砲',p:'卒'};
const LATIN = {k:'K',a:'A',b:'E',n:'H',r:'R',c:'C',p:'P'};
const letter = piece => look.pieces === 'zh' ? CHINESE[piece] ?? '?' : LATIN[piece.toLowerCase()] ?? '?';
const spot = square => { const file = square % 9, rank = Math.floor(square / 9); return [56 + 60 * (look.flipped ? 8 - file : file), 56 + 60 * (look.flipped ? rank : 9 - rank)]; };
const CORNERS = 'M-29-18V-29H-18M18-29H29V-18M29 18V29H18M-18 29H-29V18';
const grid = () => {
  let path = '';
  for (let rank = 0; rank < 10; rank++) path += `M56 ${56 + 60 * rank}H536`;
  for (let file = 0; file < 9; file++) path += file % 8 ? `M${56 + 60 * file} 56V296M${56 + 60 * file} 356V596` : `M${56 + 60 * file} 56V596`;
  path += 'M236 56L356 176M356 56L236 176M236 476L356 596M356 476L236 596';
  for (const [file, rank] of [[1,2],[7,2],[1,7],[7,7],...[0,2,4,6,8].flatMap(file => [[file,3],[file,6]])])
    for (const right of [-1, 1]) for (const down of [-1, 1]) {
      const x = 56 + 60 * file + 6 * right, y = 56 + 60 * rank + 6 * down;
      if (file + right >= 0 && file + right <= 8) path += `M${x} ${y + 11 * down}V${y}H${x + 11 * right}`;
    }
  return sv('g', {}, sv('path', {class:'grid', d:path}), sv('rect', {class:'edge', x:48, y:48, width:496, height:556}));
};
const labels = () => {
  const own = '九八七六五四三二一', group = sv('g', {});
  const put = (kind, x, y, text) => group.append(sv('text', {class:kind, x, y}, text));
  for (let file = 0; file < 9; file++) {
    const x = spot(file)[0];
    if (look.pieces === 'zh') { put('label', x, look.flipped ? 18 : 634, own[file]); put('label', x, look.flipped ? 634 : 18, String(file + 1)); }
    else put('label', x, 634, 'abcdefghi'[file]);
  }
  if (look.pieces === 'zh') { put('river', 180, 326, '楚　河'); put('river', 412, 326, '漢　界'); }
  else for (let rank = 0; rank < 10; rank++) put('label', 18, spot(rank * 9)[1], String(rank));
  return group;
};
class Drawing {
  constructor() {
    this.node = sv('svg', {class:'board', viewBox:'0 0 592 652', role:'img'});
    this.style = '';
  }
  show(cells, last, label) {
    const style = look.pieces + look.flipped;
    if (style !== this.style) {
      this.style = style; this.cells = [];
      this.points = Array.from({length:90}, (_, square) => { const [x, y] = spot(square); return sv('g', {class:'pe', transform:`translate(${x} ${y})`}, sv('circle', {r:27}), sv('text', {})); });
      this.marks = [0, 2].map(() => sv('path', {class:'mark', d:CORNERS}));
      this.node.replaceChildren(grid(), labels(), ...this.points, ...this.marks);
    }
    cells.forEach((piece, square) => {
      if (this.cells[square] === piece) return;
      this.cells[square] = piece;
      const point = this.points[square];
      point.setAttribute('class', piece === '.' ? 'pe' : piece < 'a' ? 'pr' : 'pb');
      if (piece !== '.') point.lastChild.textContent = letter(piece);
    });
    [0, 2].forEach((from, i) => {
      const shown = last && isMove(last);
      this.marks[i].setAttribute('display', shown ? 'inline' : 'none');
      if (shown) { const [x, y] = spot(at(last, from)); this.marks[i].setAttribute('transform', `translate(${x} ${y})`); }
    });
    this.node.setAttribute('aria-label', label);
  }
}

// Clocks.
const time = ms => {
  const tenths = Math.floor(ms / 100), seconds = Math.floor(tenths / 10), two = n => String(n).padStart(2, '0');
  const h = Math.floor(seconds / 3600), m = Math.floor(seconds / 60) % 60, s = seconds % 60;
  if (h) return `${h}:${two(m)}:${two(s)}`;
  return seconds < 60 ? `${m}:${two(s)}.${tenths % 10}` : `${m}:${two(s)}`;
};
const showClock = (node, { text, running, low }) => {
  if (node.textContent !== text) node.textContent = text;
  node.className = 'clock' + (running ? ' runs' : '') + (low ? ' low' : '');
};
const player = side => { const box = { name: el('bdi'), clock: el('span', {class:'clock'}) }; box.node = el('div', {class:'player ' + side}, box.name, box.clock); return box; };

// Positions in words.
const NAMES = {K:['general','帅'],A:['advisor','仕'],B:['elephant','相'],N:['horse','马'],R:['chariot','车'],C:['cannon','炮'],P:['soldier','兵'],k:['general','将'],a:['advisor','士'],b:['elephant','象'],n:['horse','马'],r:['chariot','车'],c:['cannon','炮'],p:['soldier','卒']};
const asText = cells => ['red', 'black'].map(side => {
  const found = cells.flatMap((piece, square) => piece !== '.' && (piece < 'a') === (side === 'red') ? [`${NAMES[piece]?.[look.zh ? 1 : 0] ?? piece} ${'abcdefghi'[square % 9]}${Math.floor(square / 9)}`] : []);
  return el('p', {}, `${t(side)}: ${found.join(', ')}`);
});
const hasBoards = () => $('notation') !== null;
const showWords = () => {
  document.documentElement.lang = look.zh ? 'zh-Hans' : 'en';
  for (const node of document.querySelectorAll('[data-t]')) node.textContent = t(node.dataset.t);
  for (const node of document.querySelectorAll('[data-l]')) node.setAttribute('aria-label', t(node.dataset.l));
  $('lang').textContent = look.zh ? 'English' : '中文';
  $('lang').lang = look.zh ? 'en' : 'zh-Hans';
  if (!hasBoards()) return;
  $('notation').value = String(look.notation);
  $('pieces').value = look.pieces;
  $('flip').setAttribute('aria-pressed', String(look.flipped));
};
// Adds the words of a page and connects its switches (the language, and those of boards where it has them);
// `changed` is called after each change.
const speak = (words, changed) => {
  Object.assign(WORDS, words);
  const choose = choice => {
    Object.assign(look, choice);
    for (const [key, value] of Object.entries(choice)) if (key !== 'flipped') remember(key === 'zh' ? 'lang' : key, key === 'zh' ? (value ? 'zh' : 'en') : value);
    showWords(); changed();
  };
  // A page without boards leaves alone how the others show them.
  $('lang').onclick = () => choose(!hasBoards() ? { zh: !look.zh } : look.zh ? { zh: false, notation: 1, pieces: 'en' } : { zh: true, notation: 2, pieces: 'zh' });
  if (hasBoards()) {
    $('notation').onchange = () => choose({ notation: +$('notation').value });
    $('pieces').onchange = () => choose({ pieces: $('pieces').value });
    $('flip').onclick = () => choose({ flipped: !look.flipped });
  }
  showWords();
};
return { remember, look, $, t, two, clean, el, sv, part, start, at, isMove, position, isBlack, number, words, NAMES, asText, Drawing, spot, time, showClock, player, speak };
})();
