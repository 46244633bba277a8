// The live page: shows what the server tells. Start at `take`.
'use strict';
(() => {
const { look, $, t, two, clean, el, sv, part, position, isBlack, number, words, asText, Drawing, time, showClock, player, speak } = chuhe;
const WORDS = {
  skip: ['Skip to the boards', '跳到棋盘'], back: ['All boards', '全部棋盘'], boards: ['Boards', '棋盘'],
  standings: ['Standings', '名次'], schedule: ['Schedule', '赛程'], rulings: ['Rulings on repetitions', '循环局面裁决'],
  notes: ['Notes', '说明'], depth: ['depth', '深度'], score: ['score', '评分'], nodes: ['nodes', '节点'],
  speed: ['nodes/s', '节点/秒'], before: ['last search', '上次思考'], silent: ['No thinking line yet', '尚无思考信息'],
  played: ['games played', '局已完成'], of: ['of', '/'], connecting: ['Connecting', '连接中'],
  lost: ['Connection lost; trying again', '连接中断，正在重试'], over: ['The event is over', '赛事已结束'],
  interrupted: ['Interrupted', '已中断'], playing: ['Playing', '进行中'], rank: ['#', '名次'],
  engine: ['Engine', '棋软'], games: ['Games', '局'], wdl: ['W-D-L', '胜-和-负'], points: ['Points', '积分'],
  bw: ['Wins as Black', '后胜'], decided: ['Order decided by', '排名依据'], now: ['Now', '进行中'],
  coming: ['To come', '待赛'], ended: ['Played', '已赛'], none: ['None', '无'], first: ['Start', '开局'],
  prev: ['Back', '上一着'], next: ['Next', '下一着'], last: ['Live', '最新'], result: ['Result', '结果'],
  scores: ['Scores as Red sees them; solid: Red, dashed: Black', '评分（红方视角）；实线：红方，虚线：黑方'],
  noScores: ['no scores yet', '尚无评分'], waiting: ['Waiting for the first game', '等待第一局开始'],
  gone: ['This game is not kept here; the record of the event has it.', '此处未保留该局，请看赛事棋谱。'],
  mate: ['mate', '杀'], book: ['opening', '开局'], more: ['more before these', '条更早'],
  desk: ["Referee's desk", '裁判席'], paused: ['Paused', '暂停开始新局'], held: ['Waiting for the chief referee', '等待裁判长裁定'],
  asked: ['Request', '申请'], backTo: ['back to half-move', '退回半回合'],
  onlyEnds: ['Moves of games under way are in the journal only where every move is journalled.', '仅在逐着记录的比赛中可见进行中对局的着法。'],
};
const boards = [], cards = [], kept = new Map(), explained = new Map();
let event = null, state = {}, tables = null, offset = -Infinity, linked = 'connecting', viewed = null, ply = null, unseenGame = false;
const name = index => event?.entrants[index]?.[look.zh ? 1 : 0] ?? '?';
const called = text => { const found = event?.entrants.find(entrant => entrant[0] === text); return found ? found[look.zh ? 1 : 0] : text; };
// Clocks: the runner's stamps, and how far its clock is ahead of ours; the message that travelled fastest
// tells it best, and only the latest count: either machine may have slept.
const heard = [];
const hear = now => {
  const ahead = now / 1000 - performance.now();
  // The runner was stopped, and its clock stood still: what was heard before tells nothing any more.
  if (ahead < offset - 900) heard.length = 0;
  heard.push(ahead);
  if (heard.length > 50) heard.shift();
  offset = Math.max(...heard);
};
const clock = (board, side) => {
  let left = board.left?.[side === 'red' ? 0 : 1];
  const running = board.running?.[0] === side;
  const since = running && offset > -Infinity ? Math.max(0, performance.now() + offset - board.running[1] / 1000) : 0;
  if (left === null || left === undefined) return { text: running ? '+' + time(since) : '–', running, low: false };
  left = Math.max(0, left / 1000 - since);
  return { text: time(left), running, low: running && left < 10000 };
};
const tick = (node, board, side) => showClock(node, clock(board, side));

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
  const order = look.flipped ? 'f' : 'n';
  if (card.order !== order) {
    card.order = order;
    const [top, bottom] = look.flipped ? [card.red, card.black] : [card.black, card.red];
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
  const [top, bottom] = look.flipped ? [one.red, one.black] : [one.black, one.red];
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
const showLine = (box, board, side) => part(box, JSON.stringify([look.zh, look.notation, board[side], board.thinking]), () => {
  const thought = board.thinking?.[side === 'red' ? 0 : 1], heading = el('h3', {}, el('bdi', {}, called(board[side])));
  if (!thought) return [heading, el('p', {class:'dim'}, t('silent'))];
  const fact = (key, value) => value === null || value === undefined || value === '' ? null : el('div', {}, el('dt', {}, t(key)), el('dd', {}, value));
  const facts = [fact('score', scoreText(thought.cp, thought.mate)), fact('depth', thought.depth), fact('nodes', thought.nodes && count(thought.nodes)), fact('speed', thought.nps && count(thought.nps))];
  return [heading, el('dl', {}, facts), el('p', thought.old ? {class:'old'} : {}, thought.old ? el('span', {class:'dim'}, t('before') + ': ') : null, thought.line.length ? thought.line.map(words).join('  ') : thought.text)];
});
const showScore = (board, now) => part(one.score, JSON.stringify([look.zh, viewed, board.id, board.moves.length, now]), () => {
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
const showOne = () => {
  const board = viewedBoard();
  $('one').hidden = !board && !unseenGame;
  $('all').hidden = !$('one').hidden;
  if (unseenGame && !board) { $('one-title').textContent = t('gone'); $('large').replaceChildren(); $('side').replaceChildren(); one.key = ''; return; }
  if (!board) { one.key = ''; return; }
  const key = JSON.stringify([viewed, board.id, look.zh, look.notation, look.flipped, look.pieces]);
  if (one.key !== key) { if (JSON.parse(one.key || '[]')[1] !== board.id) ply = null; one.key = key; layOut(); }
  const now = ply ?? board.moves.length, cells = position(board, now);
  $('one-title').textContent = clean(`${typeof viewed === 'number' ? `${t('board')} ${viewed + 1}  ` : ''}${board.id}  ${called(board.red)} – ${called(board.black)}`);
  for (const side of ['red', 'black']) { one[side].name.textContent = clean(called(board[side])); showLine(one.lines[side], board, side); tick(one[side].clock, board, side); }
  one.drawing.show(cells, board.moves[now - 1]?.[0], describe(board, now));
  one.result.textContent = board.end ? lastWords(board) : '';
  showScore(board, now); showMoves(board, now);
  part(one.text, cells.join('') + look.zh, () => asText(cells));
  if (ply === null) { const told = `${called(board.red)} – ${called(board.black)}: ${lastWords(board)}`; if ($('told').textContent !== clean(told)) $('told').textContent = clean(told); }
};

// Tables and lists.
const gameLink = (id, text, key) => { const place = boards.findIndex(board => board?.id === id); return el('a', {href: place >= 0 ? '#board-' + (place + 1) : '#game-' + id, 'data-k':key + id}, text); };
const showTables = () => {
  const stamp = JSON.stringify([look.zh, tables, event, boards.map(board => board?.id)]);
  part($('standings'), stamp, () => {
    if (!tables) return [];
    const made = tables.sheets.map(sheet => {
      const head = ['rank', 'engine'].map(t).concat(sheet.grid ? sheet.rows.map((_, i) => String(i + 1)) : [], ['games', 'wdl', 'points', 'bw', 'decided'].map(t));
      const rows = sheet.rows.map(row => el('tr', {}, el('td', {class:'n'}, row.rank), el('th', {scope:'row'}, el('bdi', {}, name(row.entrant))),
        row.cells.map(cell => cell.length ? el('td', {class:'c'}, cell.flatMap(([en, cn, id]) => [id ? gameLink(id, look.zh ? cn : en, 't') : look.zh ? cn : en, ' '])) : el('td', {class:'own c'}, '×')),
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
      const key = look.zh + JSON.stringify(one), known = explained.get(key);
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
    const notes = [...tables.notes.list].reverse().map(note => el('li', {}, note.game ? el('span', {class:'id'}, note.game + ' ') : null, note.entrant === null ? null : [el('bdi', {}, name(note.entrant)), ': '], two(note.text)));
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
$('back').onclick = () => { setTimeout(() => $('main').focus({preventScroll:true})); };
speak(WORDS, showAll); showState(); listen();
})();
