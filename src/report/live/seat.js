// A person's seat: shows what the server tells of it and says what the person does there. The secret comes in
// the address behind `#`, which no browser sends; every request brings it in its head. Start at `take`.
'use strict';
(() => {
const { look, $, t, two, clean, el, sv, part, start, at, isMove, position, isBlack, number, words, NAMES, asText, Drawing, spot, time, showClock, player, speak } = chuhe;
const WORDS = {
  skip: ['Skip to the board', '跳到棋盘'], flip: ['Turn the board', '翻转棋盘'], public: ['All boards of the event', '赛事全部棋盘'],
  here: ['I am here', '我已就座'], play: ['Play', '走棋'], send: ['Send', '发送'], enter: ['Your move', '输入着法'],
  enterHelp: ['Any notation: h2e2, C2.5, 炮二平五', '任何记法均可：炮二平五、C2.5、h2e2'],
  adviseTeam: ['Advise the member on turn', '向行棋队员建议'], accept: ['Accept the draw', '同意和棋'],
  offer: ['Offer a draw', '提和'], offered: ['Draw offered; take it back', '已提和；撤回'], resign: ['Resign', '认输'],
  sure: ['Resign this game?', '确定认输吗？'], stay: ['No, play on', '不，继续'], giveUp: ['Yes, resign', '是，认输'],
  connecting: ['Connecting', '连接中'], on: ['Connected', '已连接'], lost: ['Connection lost; trying again. Your clock may run.', '连接中断，正在重试；你的棋钟可能仍在走。'],
  wrong: ['This link is not valid. Ask the organiser for the link of your seat.', '此链接无效，请向组织者索取你的座位链接。'],
  closed: ['Play at this seat is over.', '此座位的比赛已结束。'],
  ready: ['Press the button when you sit at the board. The game begins when everybody is there.', '就座后请按下按钮，双方到齐即开始对局。'],
  wait: ['You are here. Wait for the game to begin.', '你已就座，请等待对局开始。'],
  between: ['This game is over. The event’s page has its result.', '本局已结束，结果见赛事页面。'],
  game: ['Game', '对局'], seat: ['Seat', '座位'], member: ['member', '队员'], master: ['blindfold', '盲棋'], you: ['You', '你'], opponent: ['Opponent', '对手'],
  yours: ['Your move', '轮到你走'], theirs: ['The opponent is to move', '对手走棋'], finished: ['This game is over', '本局已结束'], result: ['Last game', '上一局'], mates: ['Another member of your team is to move', '轮到你的队友走棋'],
  sending: ['Sending', '发送中'], forMove: ['for this move', '本着限时'], drawOffered: ['The opponent offers a draw', '对手提和'],
  opponentPlayed: ['Opponent’s last move', '对手上一着'], nothingYet: ['You have the first move', '由你先走'],
  unsent: ['It could not be sent. Try again.', '未能发送，请重试。'], notNow: ['It is not your move.', '还没有轮到你走。'],
  adviceOf: ['Advice of your team', '队友建议'], show: ['Show', '显示'], picked: ['picked', '已选中'], targets: ['targets', '个可走点'],
  empty: ['empty', '空'], noMoves: ['this piece has no legal move', '此子无合法着法'], captures: ['captures', '吃'],
  boardHelp: ['Arrows move the cursor, Enter picks a piece and then its target, Escape lets it go', '方向键移动光标，回车选子和落点，Esc 取消'],
};
// The secret leaves the address at once: it is on a screen that others may see. This tab keeps it, for a reload.
const SECRET = /^#([0-9a-fA-F]{32})$/, brought = SECRET.exec(location.hash)?.[1];
const token = (() => {
  try {
    if (!brought) return sessionStorage.getItem('chuhe-seat') ?? '';
    sessionStorage.setItem('chuhe-seat', brought);
    history.replaceState(null, '', location.pathname);
  } catch { /* Where nothing can be kept it stays in the address. */ }
  return brought ?? '';
})();
const headers = { Authorization: 'Bearer ' + token };
let state = null, linked = 'connecting', shown = null, picked = null, cursor = 40, pending = null, refusal = null, saidBefore = 'null', spoken = '';

// Clocks: what was told, and the moment of our own clock at which it was so. A side's clock is known exactly when
// this seat is asked; between that it is reckoned from the last question and marked so.
let clocks = { own: null, opponent: null }, runs = null, moveLimit = null;
const leftOf = side => { const clock = clocks[side]; return clock && { ...clock, left: clock.left - (runs === side ? performance.now() - clock.at : 0) }; };
const setClocks = (before, sameGame) => {
  const now = performance.now(), turn = state.turn;
  if (!sameGame) { clocks = { own: null, opponent: null }; runs = null; }
  if (turn) {
    const own = turn.left_ms ?? turn.move_ms;
    clocks.own = own === null ? null : { left: own - turn.asked_ms, at: now };
    clocks.opponent = turn.opponent_left_ms === null ? null : { left: turn.opponent_left_ms, at: now };
    moveLimit = turn.move_ms === null || turn.left_ms === null ? null : now + turn.move_ms - turn.asked_ms;
    runs = 'own';
    return;
  }
  // The clock that ran stops where it stands now.
  for (const side of ['own', 'opponent']) { const left = leftOf(side); clocks[side] = left && { left: left.left, at: now, about: true }; }
  moveLimit = null;
  runs = state.game ? (ours() ? 'own' : 'opponent') : null;
};
const tick = () => {
  for (const [side, box] of [['own', people.own], ['opponent', people.opponent]]) {
    const clock = leftOf(side), running = runs === side;
    showClock(box.clock, clock ? { text: (clock.about ? '≈ ' : '') + time(Math.max(0, clock.left)), running, low: running && clock.left < 10000 } : { text: '–', running, low: false });
  }
  showTurn();
};

// What is on the board.
const board = () => shown && { fen: shown.start ?? '', moves: (shown.moves ?? []).map((move, i) => [move, shown.wxf?.[i] ?? move, shown.zh?.[i] ?? move]) };
const blind = () => Boolean(state?.seat.blindfold);
// Whether this seat's side is to move.
const ours = () => Boolean(state.turn) || !blind() && state.game.fen.split(' ')[1] === (state.game.colour === 'red' ? 'w' : 'b');
const legal = () => state?.turn && pending !== state.turn.id ? state.turn.legal ?? [] : [];
const targets = from => legal().filter(move => at(move, 0) === from).map(move => at(move, 2));
const square = place => 'abcdefghi'[place % 9] + Math.floor(place / 9);
const pieceName = piece => piece === '.' ? t('empty') : `${t(piece < 'a' ? 'red' : 'black')} ${NAMES[piece]?.[look.zh ? 1 : 0] ?? piece}`;
const tell = text => { $('told').textContent = clean(text); };

// The board and the hand on it.
const drawing = new Drawing(), over = sv('g', {'aria-hidden':'true'});
drawing.node.setAttribute('tabindex', '0');
drawing.node.setAttribute('role', 'application');
const people = { own: player('red'), opponent: player('black') };
const ring = (kind, place, r) => { const [cx, cy] = spot(place); return sv('circle', {class:kind, cx, cy, r}); };
const showHand = cells => {
  if (!over.isConnected) drawing.node.append(over);
  const [x, y] = spot(cursor);
  const marks = picked === null ? [] : [ring('picked', picked, 30), ...targets(picked).map(place => cells[place] === '.' ? ring('dot', place, 11) : ring('ring', place, 31))];
  over.replaceChildren(...marks, sv('rect', {class:'cursor', x:x - 29, y:y - 29, width:58, height:58}));
};
const choose = place => {
  const cells = start(shown?.fen ?? ''), own = targets(place).length > 0;
  cursor = place;
  if (picked !== null && targets(picked).includes(place)) {
    const move = square(picked) + square(place);
    picked = null;
    return void play(move);
  }
  const mine = state?.turn && cells[place] !== '.' && (cells[place] < 'a') === (shown.colour === 'red');
  picked = own && picked !== place ? place : null;
  if (picked !== null) tell(`${pieceName(cells[place])} ${square(place)} ${t('picked')}, ${targets(place).length} ${t('targets')}: ${targets(place).map(square).join(' ')}`);
  else if (mine && !own) tell(`${pieceName(cells[place])} ${square(place)}: ${t('noMoves')}`);
  showHand(cells);
};
drawing.node.onclick = pressed => {
  const matrix = drawing.node.getScreenCTM();
  if (!matrix || !shown) return;
  const point = new DOMPoint(pressed.clientX, pressed.clientY).matrixTransform(matrix.inverse());
  for (let place = 0; place < 90; place++) { const [x, y] = spot(place); if (Math.abs(x - point.x) <= 30 && Math.abs(y - point.y) <= 30) return choose(place); }
};
drawing.node.onkeydown = pressed => {
  if (!shown || pressed.ctrlKey || pressed.altKey || pressed.metaKey) return;
  const turned = look.flipped ? -1 : 1, go = { ArrowLeft: [-turned, 0], ArrowRight: [turned, 0], ArrowUp: [0, turned], ArrowDown: [0, -turned] }[pressed.key];
  if (go) {
    const file = cursor % 9 + go[0], rank = Math.floor(cursor / 9) + go[1];
    if (file >= 0 && file < 9 && rank >= 0 && rank < 10) cursor = rank * 9 + file;
    const cells = start(shown.fen);
    showHand(cells);
    tell(`${square(cursor)} ${pieceName(cells[cursor])}${picked !== null && targets(picked).includes(cursor) ? '. ' + t('play') : ''}`);
  } else if (pressed.key === 'Enter' || pressed.key === ' ') choose(cursor);
  else if (pressed.key === 'Escape') { picked = null; showHand(start(shown.fen)); }
  else return;
  pressed.preventDefault();
};

// What is said.
const say = async what => {
  try {
    const answer = await fetch('seat/say', { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(what) });
    if (answer.status === 401) { linked = 'wrong'; show(); return false; }
    const told = await answer.json().catch(() => null);
    refusal = told ? (two(told) ? told : null) : { ok: false, en: WORDS.unsent[0], zh: WORDS.unsent[1] };
    return Boolean(told?.ok);
  } catch {
    refusal = { ok: false, en: WORDS.unsent[0], zh: WORDS.unsent[1] };
    return false;
  } finally { showSaid(); }
};
const play = async text => {
  const turn = state?.turn;
  if (!turn) { refusal = { ok: false, en: WORDS.notNow[0], zh: WORDS.notNow[1] }; return showSaid(); }
  if (pending === turn.id) return;
  pending = turn.id;
  show();
  const done = await say({ kind: 'move', text, turn: turn.id });
  if (done) $('text').value = ''; else pending = null;
  show();
};
$('here').onclick = () => { $('here').disabled = true; say({ kind: 'here' }).finally(() => { $('here').disabled = false; }); };
$('move').onsubmit = sent => { sent.preventDefault(); const text = $('text').value.trim(); if (text) void play(text); };
$('advise').onsubmit = sent => { sent.preventDefault(); const text = $('words').value.trim(); if (text) say({ kind: 'advise', text }).then(done => { if (done) $('words').value = ''; }); };
$('offer').onclick = () => say({ kind: 'offer-draw', on: !state.offers_draw });
$('accept').onclick = () => { if (state?.turn) void say({ kind: 'accept-draw', turn: state.turn.id }); };
let resigned = null;
$('resign').onclick = () => { resigned = state?.turn?.id ?? null; if (resigned !== null) $('sure').showModal(); };
$('stay').onclick = () => $('sure').close();
$('give-up').onclick = () => { $('sure').close(); void say({ kind: 'resign', turn: resigned }); };

// What is shown.
const SAID_FOR = 4000;
let saidLast = null;
const showSaid = () => {
  // What was taken is said for a while, a refusal until the next word.
  if (refusal !== saidLast) { saidLast = refusal; if (refusal?.ok) setTimeout(() => { if (refusal === saidLast && refusal?.ok) { refusal = null; showSaid(); } }, SAID_FOR); }
  const text = clean(two(refusal));
  if ($('said').textContent !== text) $('said').textContent = text;
  $('said').classList.toggle('refused', refusal?.ok === false);
};
const showState = () => {
  const seat = state?.seat;
  const name = seat ? (look.zh && seat.entrant_zh ? seat.entrant_zh : seat.entrant) : 'chuhe';
  const parts = seat ? [`${t('seat')} ${seat.label}`, seat.member && seat.members > 1 ? `${t('member')} ${seat.member}/${seat.members}` : null, seat.blindfold ? t('master') : null] : [];
  $('who').textContent = clean(name);
  $('state').textContent = clean([state?.closed && linked !== 'wrong' ? t('closed') : t(linked), ...parts].filter(Boolean).join(' · '));
  $('state').classList.toggle('lost', linked === 'wrong' || linked === 'lost' && !state?.closed);
  document.title = clean((state?.turn ? '● ' + t('yours') + ' – ' : '') + name);
};
// How the last game of this entrant ended, as the public page has it: the seat itself is only asked for moves.
let ended = null, playing = true;
const isOver = () => Boolean(state?.game && !state.turn && !playing);
const showEnded = () => {
  const words = ended ? `${t('result')} (${ended.id}): ${ended.result ?? ''} ${two(ended.reason)}` : '';
  if ($('ended').textContent !== clean(words)) $('ended').textContent = clean(words);
};
const lookForEnd = async () => {
  if (!state?.here) return;
  try {
    const told = await (await fetch('state', { cache: 'no-store' })).json();
    const own = told.event.entrants.findIndex(([name]) => name === state.seat.entrant);
    const last = told.tables.schedule.ended.find(game => game.red === own || game.black === own) ?? null;
    const goesOn = told.tables.schedule.now.some(game => game.red === own || game.black === own);
    if (last?.id === ended?.id && last?.result === ended?.result && goesOn === playing) return;
    [ended, playing] = [last, goesOn];
    if (isOver()) { for (const side of ['own', 'opponent']) { const left = leftOf(side); clocks[side] = left && { ...left, at: performance.now() }; } runs = null; }
    show();
  } catch { /* The next look tells. */ }
};
setInterval(() => void lookForEnd(), 2000);
const showTurn = () => {
  if (!state) return;
  showEnded();
  const turn = state.turn, mine = Boolean(turn);
  const text = isOver() ? t('finished') : !state.game ? t('between') : mine ? t(pending === turn.id ? 'sending' : 'yours') + (turn.draw_offered ? ' · ' + t('drawOffered') : '') : t(ours() ? 'mates' : 'theirs');
  const limit = moveLimit === null ? '' : ` · ${time(Math.max(0, moveLimit - performance.now()))} ${t('forMove')}`;
  if ($('turn').textContent !== text + limit) $('turn').textContent = text + limit;
  $('turn').classList.toggle('mine', mine);
};
const lastText = () => {
  if (blind()) { const last = shown.last; return last ? [last.move, last.wxf, last.zh][look.notation] ?? last.move : t('nothingYet'); }
  const game = board(), index = game.moves.length - 1;
  return index < 0 ? '' : `${number(game, index)}. ${isBlack(game, index) ? '… ' : ''}${words(game.moves[index])}`;
};
// The opponent's move as it is read aloud.
const spokenMove = () => {
  if (blind()) return shown.last ? `${t('opponentPlayed')}: ${lastText()}` : '';
  const game = board(), count = game.moves.length;
  if (!count || isBlack(game, count - 1) === (shown.colour === 'black')) return '';
  const move = game.moves[count - 1][0], before = position(game, count - 1);
  if (!isMove(move)) return '';
  const taken = before[at(move, 2)];
  return `${t('opponentPlayed')}: ${look.zh ? game.moves[count - 1][2] : `${pieceName(before[at(move, 0)])} ${move.slice(0, 2)} ${move.slice(2)}`}${taken === '.' ? '' : `, ${t('captures')} ${pieceName(taken)}`}`;
};
const showMoves = () => part($('moves'), JSON.stringify([look.notation, shown.start, shown.moves]), () => {
  const game = board();
  queueMicrotask(() => { $('moves').scrollTop = 1e9; });
  return game.moves.flatMap((move, index) => {
    const black = isBlack(game, index), text = el('bdi', index === game.moves.length - 1 ? {class:'now'} : {}, words(move));
    return [!black || index === 0 ? el('span', {}, number(game, index) + '.') : null, black && index === 0 ? el('span', {}, '…') : null, text].filter(Boolean);
  });
});
const showAdvice = () => part($('advice'), JSON.stringify([look.zh, look.notation, state.advice, state.turn?.id]), () => {
  if (!state.advice?.length) return [];
  const items = state.advice.map(one => {
    const button = !blind() && one.move && state.turn?.legal?.includes(one.move) ? el('button', {type:'button'}, t('show')) : null;
    if (button) button.onclick = () => { picked = at(one.move, 0); cursor = at(one.move, 2); drawing.node.focus(); show(); };
    return el('li', {}, el('span', {}, el('b', {}, `${t('member')} ${one.member}: `), el('bdi', {}, one.text), one.move && one.move !== one.text ? ` (${one.move})` : ''), button);
  });
  return [el('h3', {}, t('adviceOf')), el('ul', {class:'list', role:'log'}, items)];
});
const showGame = () => {
  const black = shown.colour === 'black', game = board();
  for (const [side, box] of [['own', people.own], ['opponent', people.opponent]]) {
    const colour = (side === 'own') === black ? 'black' : 'red';
    box.node.className = 'player ' + colour;
    box.name.textContent = clean(`${t(side === 'own' ? 'you' : 'opponent')} (${t(colour)})`);
  }
  const [above, below] = look.flipped === black ? [people.opponent, people.own] : [people.own, people.opponent];
  if ($('above').firstChild !== above.node) { $('above').replaceChildren(above.node); $('below').replaceChildren(below.node); }
  $('game').classList.toggle('blind', blind());
  $('large').hidden = $('moves').hidden = $('words-box').hidden = blind();
  $('game-title').textContent = `${blind() && shown.board ? `${t('board')} ${shown.board}` : `${t('game')} ${shown.number}`} · ${t(shown.colour)}`;
  $('last').textContent = clean(blind() ? lastText() : '');
  $('last').dataset.title = shown.last ? t('opponentPlayed') : '';
  $('flip').hidden = blind();
  $('pieces').parentNode.hidden = blind();
  if (!blind()) {
    const cells = start(shown.fen), last = game.moves.at(-1)?.[0];
    if (picked !== null && !targets(picked).length) picked = null;
    drawing.show(cells, last, clean(`${t(shown.colour)}. ${lastText()}. ${t('boardHelp')}`));
    drawing.node.classList.toggle('mine', Boolean(state.turn));
    if (!drawing.node.isConnected) $('large').replaceChildren(drawing.node);
    showHand(cells); showMoves();
    part($('as-text'), cells.join('') + look.zh, () => asText(cells));
  }
  const turn = state.turn, busy = turn ? pending === turn.id : false;
  $('move').hidden = !turn;
  $('advise').hidden = Boolean(turn) || !state.game || !(state.seat.members > 1);
  for (const field of $('move').elements) field.disabled = busy;
  $('choices').hidden = !state.game || !turn && !state.offers_draw;
  $('accept').hidden = !turn?.draw_offered;
  $('resign').hidden = !turn;
  $('offer').setAttribute('aria-pressed', String(state.offers_draw));
  $('offer').textContent = t(state.offers_draw ? 'offered' : 'offer');
  showAdvice(); tick();
};
const show = () => {
  showState(); showSaid();
  const valid = linked !== 'wrong' && state;
  $('arrive').hidden = !valid || state.closed || Boolean(state.game);
  $('arrive-text').textContent = state?.here ? t(shown ? 'between' : 'wait') : t('ready');
  $('here').hidden = Boolean(state?.here);
  $('game').hidden = !valid || !shown;
  if (valid && shown) showGame();
};

// What the server tells.
const take = told => {
  const before = state, same = before?.game?.number === told.game?.number;
  state = told;
  linked = 'on';
  setClocks(before, same || !told.game);
  if (!same) playing = true;
  if (told.game) {
    if (shown?.number !== told.game.number || shown?.colour !== told.game.colour) {
      look.flipped = told.game.colour === 'black';
      $('flip').setAttribute('aria-pressed', String(look.flipped));
      picked = null; cursor = look.flipped ? 49 : 40;
    }
    shown = told.game;
  }
  if (before?.turn?.id !== told.turn?.id) { pending = null; picked = null; if (refusal?.ok !== false) refusal = null; if ($('sure').open) $('sure').close(); }
  const said = JSON.stringify(told.said ?? null);
  if (said !== saidBefore) { saidBefore = said; refusal = told.said ?? null; }
  show();
  const aloud = shown && told.game ? spokenMove() : '';
  if (aloud && told.turn && aloud + told.turn.id !== spoken) { spoken = aloud + told.turn.id; tell(`${aloud}. ${t('yours')}`); }
};

// The stream of states: read by hand, because an EventSource brings no secret.
const SILENCE = 25000, LONGEST = 8000;
let wake = null;
const sleep = ms => new Promise(go => { wake = go; setTimeout(go, ms); });
const read = async stop => {
  let watch = setTimeout(() => stop.abort(), SILENCE);
  try {
    const answer = await fetch('seat/events', { headers, cache: 'no-store', signal: stop.signal });
    if (answer.status === 401) return 'wrong';
    if (!answer.ok || !answer.body) return 'lost';
    const reader = answer.body.getReader(), decoder = new TextDecoder();
    for (let text = '';;) {
      const { done, value } = await reader.read();
      if (done) return 'ended';
      clearTimeout(watch);
      watch = setTimeout(() => stop.abort(), SILENCE);
      text += decoder.decode(value, { stream: true });
      const lines = text.split('\n');
      text = lines.pop();
      for (const line of lines) if (line.startsWith('data:')) take(JSON.parse(line.slice(5)));
    }
  } catch { return 'lost'; } finally { clearTimeout(watch); }
};
const listen = async () => {
  for (let pause = 300;;) {
    const stop = new AbortController(), heardBefore = state;
    addEventListener('offline', () => stop.abort(), { once: true });
    const end = await read(stop);
    if (state !== heardBefore) pause = 300;
    linked = end === 'wrong' ? 'wrong' : 'lost';
    show();
    if (linked === 'wrong') return;
    await sleep(pause);
    pause = Math.min(LONGEST, pause * 2);
  }
};
addEventListener('online', () => wake?.());
addEventListener('hashchange', () => { if (SECRET.test(location.hash)) location.reload(); });
// The way past the head leads to the board itself.
$('skip').onclick = pressed => { pressed.preventDefault(); (drawing.node.isConnected ? drawing.node : $('main')).focus(); };
setInterval(() => { if (state?.game) tick(); }, 100);
speak(WORDS, () => { show(); });
show();
if (token) void listen(); else { linked = 'wrong'; show(); }
})();
