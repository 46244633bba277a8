// The live page: shows what the server tells. Every text of a game, an engine or a file becomes a text node,
// never markup. Start at `take`.
'use strict';
(() => {
const WORDS = {
  skip: ['Skip to the boards', '跳到棋盘'], settings: ['Settings', '设置'], notation: ['Moves', '着法'],
  coordinates: ['Coordinates', '坐标'], chinese: ['Chinese', '中文'], pieces: ['Pieces', '棋子'],
  flip: ['Turn the boards', '翻转棋盘'], back: ['All boards', '全部棋盘'], boards: ['Boards', '棋盘'],
  standings: ['Standings', '名次'], schedule: ['Schedule', '赛程'], rulings: ['Rulings on repetitions', '循环局面裁决'],
  notes: ['Notes', '说明'], board: ['Board', '棋盘'], red: ['Red', '红方'], black: ['Black', '黑方'],
  toMove: ['to move', '走棋'], depth: ['depth', '深度'], score: ['score', '评分'], nodes: ['nodes', '节点'],
  speed: ['nodes/s', '节点/秒'], before: ['last search', '上次思考'], silent: ['No thinking line yet', '尚无思考信息'],
  played: ['games played', '局已完成'], of: ['of', '/'], connecting: ['Connecting', '连接中'],
  lost: ['Connection lost; trying again', '连接中断，正在重试'], over: ['The event is over', '赛事已结束'],
  interrupted: ['Interrupted', '已中断'], playing: ['Playing', '进行中'], rank: ['#', '名次'],
  engine: ['Engine', '棋软'], games: ['Games', '局'], wdl: ['W-D-L', '胜-和-负'], points: ['Points', '积分'],
  bw: ['Wins as Black', '后胜'], decided: ['Order decided by', '排名依据'], now: ['Now', '进行中'],
  coming: ['To come', '待赛'], ended: ['Played', '已赛'], none: ['None', '无'], first: ['Start', '开局'],
  prev: ['Back', '上一着'], next: ['Next', '下一着'], last: ['Live', '最新'], result: ['Result', '结果'],
  scores: ['Scores as Red sees them; solid: Red, dashed: Black', '评分（红方视角）；实线：红方，虚线：黑方'],
  noScores: ['no scores yet', '尚无评分'], asText: ['Position as text', '局面文字'], waiting: ['Waiting for the first game', '等待第一局开始'],
  gone: ['This game is not kept here; the record of the event has it.', '此处未保留该局，请看赛事棋谱。'],
  mate: ['mate', '杀'], book: ['opening', '开局'], more: ['more before these', '条更早'], moves: ['Moves', '着法'],
  desk: ["Referee's desk", '裁判席'], paused: ['Paused', '暂停开始新局'], held: ['Waiting for the chief referee', '等待裁判长裁定'],
  asked: ['Request', '申请'], backTo: ['back to half-move', '退回半回合'],
  onlyEnds: ['Moves of games under way are in the journal only where every move is journalled.', '仅在逐着记录的比赛中可见进行中对局的着法。'],
};
const remember = (key, value) => { try { if (value === undefined) return localStorage.getItem('chuhe-' + key); localStorage.setItem('chuhe-' + key, value); } catch { return null; } };
const $ = id => document.getElementById(id);
let zh = remember('lang') ? remember('lang') === 'zh' : /^zh/i.test(navigator.language);
let notation = +(remember('notation') ?? (zh ? 2 : 1)), pieces = remember('pieces') ?? (zh ? 'zh' : 'en'), flipped = false;
const boards = [], cards = [], kept = new Map(), explained = new Map();
let event = null, state = {}, tables = null, offset = -Infinity, linked = 'connecting', viewed = null, ply = null, unseenGame = false;
const t = key => WORDS[key][zh ? 1 : 0];
const two = value => value ? (zh ? value.zh : value.en) : '';
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
const name = index => event?.entrants[index]?.[zh ? 1 : 0] ?? '?';
const called = text => { const found = event?.entrants.find(entrant => entrant[0] === text); return found ? found[zh ? 1 : 0] : text; };
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
const words = move => move[notation] ?? move[0];

// The drawing of a board.
const CHINESE = {K:'帥',A:'仕',B:'相',N:'傌',R:'俥',C:'炮',P:'兵',k:'將',a:'士',b:'象',n:'馬',r:'車',c:'砲',p:'卒'};
const LATIN = {k:'K',a:'A',b:'E',n:'H',r:'R',c:'C',p:'P'};
const letter = piece => pieces === 'zh' ? CHINESE[piece] ?? '?' : LATIN[piece.toLowerCase()] ?? '?';
const spot = square => { const file = square % 9, rank = Math.floor(square / 9); return [56 + 60 * (flipped ? 8 - file : file), 56 + 60 * (flipped ? rank : 9 - rank)]; };
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
    if (pieces === 'zh') { put('label', x, flipped ? 18 : 634, own[file]); put('label', x, flipped ? 634 : 18, String(file + 1)); }
    else put('label', x, 634, 'abcdefghi'[file]);
  }
  if (pieces === 'zh') { put('river', 180, 326, '楚　河'); put('river', 412, 326, '漢　界'); }
  else for (let rank = 0; rank < 10; rank++) put('label', 18, spot(rank * 9)[1], String(rank));
  return group;
};
class Drawing {
  constructor(title) {
    this.node = sv('svg', {class:'board', viewBox:'0 0 592 652', role:'img'});
    this.title = title; this.look = '';
  }
  show(cells, last, label) {
    const look = pieces + flipped;
    if (look !== this.look) {
      this.look = look; this.cells = [];
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

// Clocks: the runner's stamps, and how far its clock is ahead of ours; the message that travelled fastest
// tells it best, and only the latest count: either machine may have slept.
const heard = [];
const hear = now => { heard.push(now / 1000 - performance.now()); if (heard.length > 50) heard.shift(); offset = Math.max(...heard); };
const clock = (board, side) => {
  let left = board.left?.[side === 'red' ? 0 : 1];
  const running = board.running?.[0] === side;
  const since = running && offset > -Infinity ? Math.max(0, performance.now() + offset - board.running[1] / 1000) : 0;
  if (left === null || left === undefined) return { text: running ? '+' + time(since) : '–', running, low: false };
  left = Math.max(0, left / 1000 - since);
  return { text: time(left), running, low: running && left < 10000 };
};
const time = ms => {
  const tenths = Math.floor(ms / 100), seconds = Math.floor(tenths / 10), two = n => String(n).padStart(2, '0');
  const h = Math.floor(seconds / 3600), m = Math.floor(seconds / 60) % 60, s = seconds % 60;
  if (h) return `${h}:${two(m)}:${two(s)}`;
  return seconds < 60 ? `${m}:${two(s)}.${tenths % 10}` : `${m}:${two(s)}`;
};
const tick = (node, board, side) => {
  const { text, running, low } = clock(board, side);
  if (node.textContent !== text) node.textContent = text;
  node.className = 'clock' + (running ? ' runs' : '') + (low ? ' low' : '');
};
const player = side => { const box = { name: el('bdi'), clock: el('span', {class:'clock'}) }; box.node = el('div', {class:'player ' + side}, box.name, box.clock); return box; };

// All boards.
const makeCard = index => {
  const card = { drawing: new Drawing(), red: player('red'), black: player('black'), last: el('p', {class:'last'}) };
  card.node = el('a', {class:'card', href:'#board-' + (index + 1)});
  card.order = '';
  return card;
};
const showCard = index => {
  const board = boards[index], card = cards[index] ??= makeCard(index);
  if (!card.node.isConnected) $('boards').append(card.node);
  const order = flipped ? 'f' : 'n';
  if (card.order !== order) {
    card.order = order;
    const [top, bottom] = flipped ? [card.red, card.black] : [card.black, card.red];
    card.node.replaceChildren(top.node, card.drawing.node, bottom.node, card.last);
  }
  for (const side of ['red', 'black']) card[side].name.textContent = clean(called(board[side]));
  const count = board.moves.length;
  card.drawing.show(position(board, count), board.moves[count - 1]?.[0], describe(board, count));
  card.last.textContent = lastWords(board);
  card.node.classList.toggle('over', board.over);
  card.node.setAttribute('aria-label', clean(`${t('board')} ${index + 1}: ${called(board.red)} – ${called(board.black)}. ${lastWords(board)}`));
};
const lastWords = board => {
  if (board.end) return clean(`${board.end.result}  ${two(board.end.reason)}`);
  const count = board.moves.length;
  return count ? `${number(board, count - 1)}. ${isBlack(board, count - 1) ? '… ' : ''}${clean(words(board.moves[count - 1]))}` : '';
};
const describe = (board, count) => {
  const side = isBlack(board, count) ? t('black') : t('red'), last = board.moves[count - 1];
  return clean(`${called(board.red)} – ${called(board.black)}. ${last ? `${number(board, count - 1)}. ${words(last)}. ` : ''}${side} ${t('toMove')}`);
};

// One board.
const one = { drawing: new Drawing(), red: player('red'), black: player('black'), moves: el('div', {class:'moves', tabindex:'0', role:'group'}), key: '' };
const viewedBoard = () => viewed === null ? null : typeof viewed === 'number' ? boards[viewed] : kept.get(viewed);
const step = to => {
  const board = viewedBoard();
  if (!board) return;
  const count = board.moves.length, next = Math.max(0, Math.min(count, to));
  ply = next === count ? null : next;
  showOne();
};
const layOut = () => {
  const buttons = [['first', '|◀', () => step(0)], ['prev', '◀', () => step((ply ?? viewedBoard().moves.length) - 1)], ['next', '▶', () => step((ply ?? viewedBoard().moves.length) + 1)], ['last', '▶|', () => step(1e9)]];
  const [top, bottom] = flipped ? [one.red, one.black] : [one.black, one.red];
  one.result = el('p', {class:'last'});
  one.text = el('div');
  const steps = buttons.map(([key, sign, go]) => { const button = el('button', {type:'button', title:t(key), 'aria-label':t(key)}, sign); button.onclick = go; return button; });
  $('large').replaceChildren(top.node, one.drawing.node, bottom.node, el('div', {class:'steps'}, steps), one.result);
  one.lines = { red: el('div', {class:'red'}), black: el('div', {class:'black'}) };
  one.score = el('div');
  one.shown = 0;
  one.moves.replaceChildren();
  one.moves.setAttribute('aria-label', t('moves'));
  $('side').replaceChildren(el('div', {class:'lines'}, one.lines.red, one.lines.black), one.score, one.moves, el('details', {}, el('summary', {}, t('asText')), one.text));
};
const scoreText = (cp, mate) => mate !== null && mate !== undefined ? `${mate < 0 ? '−' : '+'}${t('mate')} ${Math.abs(mate)}` : cp === null || cp === undefined ? '' : (cp < 0 ? '−' : '+') + (Math.abs(cp) / 100).toFixed(2);
const count = n => n >= 1e9 ? (n / 1e9).toFixed(1) + ' G' : n >= 1e6 ? (n / 1e6).toFixed(1) + ' M' : n >= 1e4 ? (n / 1e3).toFixed(0) + ' k' : String(n);
const showLine = (box, board, side) => part(box, JSON.stringify([zh, notation, board[side], board.thinking]), () => {
  const thought = board.thinking?.[side === 'red' ? 0 : 1], heading = el('h3', {}, el('bdi', {}, called(board[side])));
  if (!thought) return [heading, el('p', {class:'dim'}, t('silent'))];
  const fact = (key, value) => value === null || value === undefined || value === '' ? null : el('div', {}, el('dt', {}, t(key)), el('dd', {}, value));
  const facts = [fact('score', scoreText(thought.cp, thought.mate)), fact('depth', thought.depth), fact('nodes', thought.nodes && count(thought.nodes)), fact('speed', thought.nps && count(thought.nps))];
  return [heading, el('dl', {}, facts), el('p', thought.old ? {class:'old'} : {}, thought.old ? el('span', {class:'dim'}, t('before') + ': ') : null, thought.line.length ? thought.line.map(words).join('  ') : thought.text)];
});
const showScore = (board, now) => part(one.score, JSON.stringify([zh, viewed, board.id, board.moves.length, now]), () => {
  const total = Math.max(board.moves.length, 20), paths = ['', ''], latest = ['', ''];
  board.moves.forEach((move, index) => {
    const [cp, mate] = [move[4], move[5]];
    if (cp === null && mate === null) return;
    const side = isBlack(board, index) ? 1 : 0, value = mate !== null ? Math.sign(mate) : Math.atan(cp / 300) / (Math.PI / 2);
    paths[side] += `${paths[side] ? 'L' : 'M'}${(600 * (index + 1) / total).toFixed(1)} ${(50 - 48 * value).toFixed(1)}`;
    latest[side] = scoreText(cp, mate);
  });
  const label = latest[0] || latest[1] ? `${t('scores')}: ${t('red')} ${latest[0] || '–'}, ${t('black')} ${latest[1] || '–'}` : `${t('scores')}: ${t('noScores')}`;
  const x = 600 * now / total;
  return [sv('svg', {class:'score', viewBox:'0 0 600 100', preserveAspectRatio:'none', role:'img', 'aria-label':label}, sv('title', {}, label),
    sv('path', {class:'zero', d:'M0 50H600'}), sv('path', {class:'at', d:`M${x} 0V100`}), sv('path', {class:'sr', d:paths[0]}), sv('path', {class:'sb', d:paths[1]})), el('p', {class:'dim id'}, label)];
});
const showMoves = (board, now) => {
  if (board.moves.length < one.shown) { one.moves.replaceChildren(); one.shown = 0; }
  const atEnd = one.moves.scrollTop + one.moves.clientHeight >= one.moves.scrollHeight - 40;
  for (; one.shown < board.moves.length; one.shown++) {
    const index = one.shown, black = isBlack(board, index);
    if (!black || index === 0) one.moves.append(el('span', {}, number(board, index) + '.'));
    if (black && index === 0) one.moves.append(el('span', {}, '…'));
    const used = board.moves[index][3];
    const button = el('button', {type:'button', 'data-p':index + 1, class:index < board.opening ? 'book' : null, title:index < board.opening ? t('book') : used === null ? null : (used / 1e6).toFixed(2) + ' s'}, words(board.moves[index]));
    button.onclick = () => step(index + 1);
    one.moves.append(button);
  }
  const current = one.moves.querySelector('[aria-current]'), wanted = one.moves.querySelector(`[data-p="${now}"]`);
  if (current !== wanted) { current?.removeAttribute('aria-current'); wanted?.setAttribute('aria-current', 'step'); }
  if (ply === null ? atEnd : true) { const box = one.moves, node = wanted; if (node && (node.offsetTop - box.offsetTop < box.scrollTop || node.offsetTop - box.offsetTop + node.offsetHeight > box.scrollTop + box.clientHeight)) box.scrollTop = node.offsetTop - box.offsetTop - box.clientHeight / 2; }
};
const NAMES = {K:['general','帅'],A:['advisor','仕'],B:['elephant','相'],N:['horse','马'],R:['chariot','车'],C:['cannon','炮'],P:['soldier','兵'],k:['general','将'],a:['advisor','士'],b:['elephant','象'],n:['horse','马'],r:['chariot','车'],c:['cannon','炮'],p:['soldier','卒']};
const asText = cells => ['red', 'black'].map(side => {
  const found = cells.flatMap((piece, square) => piece !== '.' && (piece < 'a') === (side === 'red') ? [`${NAMES[piece]?.[zh ? 1 : 0] ?? piece} ${'abcdefghi'[square % 9]}${Math.floor(square / 9)}`] : []);
  return el('p', {}, `${t(side)}: ${found.join(', ')}`);
});
const showOne = () => {
  const board = viewedBoard();
  $('one').hidden = !board && !unseenGame;
  $('all').hidden = !$('one').hidden;
  if (unseenGame && !board) { $('one-title').textContent = t('gone'); $('large').replaceChildren(); $('side').replaceChildren(); one.key = ''; return; }
  if (!board) { one.key = ''; return; }
  const key = JSON.stringify([viewed, board.id, zh, notation, flipped, pieces]);
  if (one.key !== key) { if (JSON.parse(one.key || '[]')[1] !== board.id) ply = null; one.key = key; layOut(); }
  const now = ply ?? board.moves.length, cells = position(board, now);
  $('one-title').textContent = clean(`${typeof viewed === 'number' ? `${t('board')} ${viewed + 1}  ` : ''}${board.id}  ${called(board.red)} – ${called(board.black)}`);
  for (const side of ['red', 'black']) { one[side].name.textContent = clean(called(board[side])); showLine(one.lines[side], board, side); tick(one[side].clock, board, side); }
  one.drawing.show(cells, board.moves[now - 1]?.[0], describe(board, now));
  one.result.textContent = board.end ? lastWords(board) : '';
  showScore(board, now); showMoves(board, now);
  part(one.text, cells.join('') + zh, () => asText(cells));
  if (ply === null) { const told = `${called(board.red)} – ${called(board.black)}: ${lastWords(board)}`; if ($('told').textContent !== clean(told)) $('told').textContent = clean(told); }
};

// Tables and lists.
const gameLink = (id, text, key) => { const place = boards.findIndex(board => board?.id === id); return el('a', {href: place >= 0 ? '#board-' + (place + 1) : '#game-' + id, 'data-k':key + id}, text); };
const showTables = () => {
  const stamp = JSON.stringify([zh, tables, event, boards.map(board => board?.id)]);
  part($('standings'), stamp, () => {
    if (!tables) return [];
    const made = tables.sheets.map(sheet => {
      const head = ['rank', 'engine'].map(t).concat(sheet.grid ? sheet.rows.map((_, i) => String(i + 1)) : [], ['games', 'wdl', 'points', 'bw', 'decided'].map(t));
      const rows = sheet.rows.map(row => el('tr', {}, el('td', {class:'n'}, row.rank), el('th', {scope:'row'}, el('bdi', {}, name(row.entrant))),
        row.cells.map(cell => cell.length ? el('td', {class:'c'}, cell.flatMap(([en, cn, id]) => [id ? gameLink(id, zh ? cn : en, 't') : zh ? cn : en, ' '])) : el('td', {class:'own c'}, '×')),
        el('td', {class:'n'}, row.games), el('td', {class:'c'}, row.wdl), el('td', {class:'n'}, el('b', {}, row.points)), el('td', {class:'n'}, row.black), el('td', {}, two(row.decided))));
      return el('div', {class:'scroll', tabindex:'0', role:'group', 'aria-label':two(sheet.title)}, el('table', {}, el('caption', {}, two(sheet.title)), el('thead', {}, el('tr', {}, head.map(text => el('th', {scope:'col'}, text)))), el('tbody', {}, rows)));
    });
    return made.concat(two(tables.below).filter(line => line.trim()).map(line => el('p', {class:'dim'}, line.trim())));
  });
  const game = (one, key) => [el('span', {class:'id'}, one.id + ' '), el('bdi', {}, name(one.red)), ' – ', el('bdi', {}, name(one.black))];
  part($('schedule'), stamp, () => {
    if (!tables) return [];
    const list = (title, games, make) => games.length ? [el('h3', {}, t(title)), el('ul', {class:'list', tabindex:'0', 'aria-label':t(title)}, games.map(one => el('li', {}, make(one))))] : [];
    const { now, coming, ended } = tables.schedule;
    const made = [...list('now', now, one => gameLink(one.id, game(one), 'n')), ...list('coming', coming, game), ...list('ended', ended, one => [gameLink(one.id, game(one), 'e'), ' ', el('b', {}, one.result), ' ', two(one.reason)])];
    return made.length ? made : [el('p', {}, t('none'))];
  });
  part($('rulings'), stamp, () => {
    if (!tables?.rulings.length) return [el('p', {}, t('none'))];
    return [...tables.rulings].reverse().map(one => {
      const key = zh + JSON.stringify(one), known = explained.get(key);
      if (known) return known;
      const text = el('pre', {}), details = el('details', {'data-k':'r' + one.id}, el('summary', {'data-k':'s' + one.id}, game(one), ' ', el('b', {}, one.result), ' ', two(one.reason)), el('p', {}, el('a', {href:'#game-' + one.id, 'data-k':'g' + one.id}, t('board'))), text);
      details.ontoggle = () => { if (details.open && !text.textContent) load('ruling/' + one.id).then(found => { text.textContent = found ? two(found.text) : t('gone'); }); };
      if (explained.size > 500) explained.clear();
      explained.set(key, details);
      return details;
    });
  });
  part($('desk'), stamp, () => {
    const desk = tables?.desk, list = (lines, key) => lines.length ? [el('ul', {class:'list', tabindex:'0', 'aria-label':t(key)}, lines.map(line => el('li', {}, line)))] : [];
    if (!desk) return [];
    const open = desk.open.map(one => `${t('asked')} ${one.number}: ${one.by}, ${one.game}, ${t('backTo')} ${one.to_move}: ${one.reason}`);
    const held = two(desk.held).map(line => line.trim()).concat(open);
    const made = [...(held.length ? [el('h3', {}, t('held')), ...list(held, 'held')] : []), ...list([...desk.words].reverse().map(two), 'desk')];
    return made.length ? made : [el('p', {}, t('none'))];
  });
  part($('notes'), stamp, () => {
    if (!tables?.notes.list.length) return [el('p', {}, t('none'))];
    const notes = [...tables.notes.list].reverse().map(note => el('li', {}, note.game ? el('span', {class:'id'}, note.game + ' ') : null, note.entrant === null ? null : [el('bdi', {}, name(note.entrant)), ': '], note.text));
    const more = tables.notes.left_out ? [el('p', {class:'dim'}, `${tables.notes.left_out} ${t('more')}`)] : [];
    return [el('ul', {class:'list', tabindex:'0', 'aria-label':t('notes')}, notes), ...more];
  });
};
const load = async path => { try { const answer = await fetch(path); return answer.ok ? await answer.json() : null; } catch { return null; } };

const showState = () => {
  const parts = [];
  if (linked !== 'on') parts.push(t(state.over && linked === 'lost' ? 'over' : linked));
  else parts.push(state.over ? t('over') : state.interrupted ? t('interrupted') : t('playing'));
  if (state.done !== undefined) parts.push(event?.games ? `${state.done} ${t('of')} ${event.games} ${t('played')}` : `${state.done} ${t('played')}`);
  if (state.paused && linked === 'on') parts.push(`${t('paused')}: ${state.paused.reason}`);
  if (linked === 'on' && !state.over && (tables?.desk?.open.length || two(tables?.desk?.held)?.length)) parts.push(t('held'));
  $('state').textContent = clean(parts.join(' · '));
  $('state').classList.toggle('lost', linked === 'lost' && !state.over);
  $('event').textContent = clean(event?.name ?? 'chuhe');
  document.title = clean(event?.name ?? 'chuhe');
};
const showWords = () => {
  document.documentElement.lang = zh ? 'zh-Hans' : 'en';
  for (const node of document.querySelectorAll('[data-t]')) node.textContent = t(node.dataset.t);
  for (const node of document.querySelectorAll('[data-l]')) node.setAttribute('aria-label', t(node.dataset.l));
  $('lang').textContent = zh ? 'English' : '中文';
  $('lang').lang = zh ? 'en' : 'zh-Hans';
  $('notation').value = String(notation);
  $('pieces').value = pieces;
  $('flip').setAttribute('aria-pressed', String(flipped));
};
const showAll = () => {
  showState();
  boards.forEach((board, index) => { if (board) showCard(index); });
  for (let index = boards.length; index < cards.length; index++) cards[index]?.node.remove();
  cards.length = boards.length;
  showOne(); showTables();
};

// What the server tells.
const takeBoard = told => {
  const board = boards[told.n], moves = board?.id === told.id ? board.moves.slice(0, told.from) : [];
  boards[told.n] = { ...told, moves: moves.concat(told.moves) };
};
const take = (told, whole) => {
  if (whole) { boards.length = 0; heard.length = 0; }
  hear(told.now);
  linked = 'on';
  state = told.state;
  if (told.event) event = told.event;
  if (told.tables) tables = told.tables;
  told.boards.forEach(takeBoard);
  if (whole) return route();
  showState();
  told.boards.forEach(board => showCard(board.n));
  if (typeof viewed === 'number' ? told.boards.some(board => board.n === viewed) : false) showOne();
  if (told.tables) { showTables(); showState(); }
};
const listen = () => {
  const source = new EventSource('events');
  source.addEventListener('all', message => take(JSON.parse(message.data), true));
  source.addEventListener('change', message => take(JSON.parse(message.data), false));
  source.addEventListener('time', message => { hear(+message.data); if (linked !== 'on') { linked = 'on'; showState(); } });
  source.onerror = () => {
    linked = 'lost'; showState();
    // A refused connection is not tried again by the browser.
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 3000);
  };
};
const route = () => {
  const board = /^#board-(\d+)$/.exec(location.hash), game = /^#game-([\d.+]+)$/.exec(location.hash);
  const before = viewed;
  viewed = board && boards[board[1] - 1] ? board[1] - 1 : game ? game[1] : null;
  unseenGame = false;
  if (before !== viewed) ply = null;
  if (game && !kept.has(viewed)) {
    load('game/' + encodeURIComponent(viewed)).then(found => {
      if (viewed !== game[1]) return;
      if (found) { if (kept.size > 50) kept.clear(); kept.set(viewed, found); } else unseenGame = true;
      showOne();
      $('one').scrollIntoView();
    });
  }
  showAll();
};
setInterval(() => {
  const board = viewedBoard();
  if (board) for (const side of ['red', 'black']) tick(one[side].clock, board, side);
  if ($('all').hidden) return;
  cards.forEach((card, index) => { if (card && boards[index]) for (const side of ['red', 'black']) tick(card[side].clock, boards[index], side); });
}, 100);
onhashchange = () => { route(); if (viewed !== null) { $('one').scrollIntoView(); $('back').focus({preventScroll:true}); } };
onkeydown = pressed => {
  if (pressed.ctrlKey || pressed.altKey || pressed.metaKey || /^(SELECT|INPUT|TEXTAREA)$/.test(document.activeElement?.tagName)) return;
  const board = viewedBoard(), now = board ? ply ?? board.moves.length : 0;
  const go = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: 1e9 }[pressed.key];
  if (board && go !== undefined) { pressed.preventDefault(); step(go); }
  else if (board && pressed.key === 'Escape') location.hash = '';
  else if (pressed.key === 'f') $('flip').click();
};
$('lang').onclick = () => {
  zh = !zh; notation = zh ? 2 : 1; pieces = zh ? 'zh' : 'en';
  remember('lang', zh ? 'zh' : 'en'); remember('notation', notation); remember('pieces', pieces);
  showWords(); showAll();
};
$('notation').onchange = () => { notation = +$('notation').value; remember('notation', notation); showAll(); };
$('pieces').onchange = () => { pieces = $('pieces').value; remember('pieces', pieces); showAll(); };
$('flip').onclick = () => { flipped = !flipped; showWords(); showAll(); };
$('back').onclick = () => { setTimeout(() => $('main').focus({preventScroll:true})); };
showWords(); showState(); listen();
})();
