// The referee's desk: shows how the run stands and says what the referee wants said. The token comes in the
// address behind `#`, which browsers send to nobody, and goes with each request in a field of its own. Every
// text becomes a text node, never markup. Start at `take`.
'use strict';
(() => {
const { remember, look, $, t, two, clean, el, part, speak } = chuhe;
const WORDS = {
  skip: ['Skip to the desk', '跳到裁判席'], desk: ["Referee's desk", '裁判席'], public: ['Public page', '公开页面'],
  waiting: ['Waiting for you', '待处理'], decide: ['Decide', '裁定'], kind: ['What', '事项'], request: ['Request', '申请'], game: ['Game', '对局'],
  result: ['Result', '结果'], toMove: ['Last half-move that stands', '保留至第几个半回合'], clocks: ['Clocks, Red first (as they stood if empty)', '双方余时，红方在前（空则依当时余时）'],
  by: ['Asked by', '申请人'], entrant: ['Entrant', '参赛者'], order: ['Order of equals, best first, one a line', '同分排名，每行一名，名次在前者先写'],
  text: ['Announcement', '通告内容'], reason: ['Reason', '理由'], person: ['Your name', '裁判姓名'], article: ["Article (the event's own if empty)", '依据条款（空则用本赛事条款）'],
  send: ['Write into the journal', '写入记录'], games: ['Games', '对局'], words: ['Said and decided', '裁定与通告'],
  rule: ['Overrule a result', '改判'], annul: ['Annul a game', '取消对局'], replay: ['Annul and play again', '取消并重赛'], correct: ['Correct: back to a half-move', '更正：退回某着'],
  withdraw: ['An entrant withdraws', '参赛者退赛'], place: ['Order of equals', '同分者排名'], admit: ['Let changed files play on', '准予更改后的文件继续比赛'],
  announce: ['Announce', '通告'], pause: ['Pause: begin no game', '暂停开始新局'], 'go-on': ['Go on', '恢复'], ask: ['Enter a request for a correction', '登记更正申请'],
  grant: ['Grant a request', '批准申请'], refuse: ['Refuse a request', '不予批准'],
  nothing: ['Nothing', '无'], running: ['Under way', '进行中'], ended: ['Played', '已赛'], halfMoves: ['half-moves', '个半回合'], annulled: ['annulled', '已取消'],
  paused: ['Paused', '暂停中'], playing: ['Playing', '进行中'], stands: ['Nothing is played: the run waits for this desk', '无对局进行：比赛等待裁判席'], over: ['The event is over', '赛事已结束'],
  lost: ['No connection to the run; trying again', '与比赛的连接中断，正在重试'], noToken: ['This desk opens only with the address that was printed where the run was begun.', '请使用启动比赛时显示的裁判席地址。'],
  done: ['Written', '已写入'], backTo: ['back to half-move', '退回第几个半回合：'], asks: ['asks', '申请'], equals: ['Equals whose play-off is held', '加赛未分胜负，待排名'],
  failed: ['It was not written', '未能写入'],
};
const KINDS = ['pause', 'go-on', 'announce', 'rule', 'replay', 'annul', 'correct', 'ask', 'grant', 'refuse', 'withdraw', 'admit', 'place'];
const FIELDS = { rule: ['game', 'result'], annul: ['game'], replay: ['game'], correct: ['game', 'to_move', 'clocks'], ask: ['game', 'to_move', 'by'], grant: ['request', 'clocks'], refuse: ['request'], withdraw: ['entrant'], admit: ['entrant'], place: ['order'], announce: ['text'], pause: [], 'go-on': [] };
const ALL_GAMES = ['correct', 'ask'];

// The token leaves the address at once: it is on a screen that others may see.
const shown = /^#([0-9a-f]{32})$/.exec(location.hash);
if (shown) { remember('desk', shown[1], 'sessionStorage'); history.replaceState(null, '', location.pathname); }
const token = shown?.[1] ?? remember('desk', undefined, 'sessionStorage');

let state = null, linked = 'playing';
const ask = (path, body) => fetch(path, { method: body ? 'POST' : 'GET', cache: 'no-store', body, headers: { Authorization: 'Bearer ' + token, ...(body ? { 'Content-Type': 'application/json' } : {}) } });
const name = index => state.entrants[index]?.names[look.zh ? 1 : 0] ?? '?';
const gameText = game => `${game.id}  ${name(game.red)} – ${name(game.black)}` + (game.result === undefined ? `  (${game.plies} ${t('halfMoves')})` : `  ${game.annulled ? t('annulled') : game.result}`);

const choose = (kind, fields) => {
  $('kind').value = kind;
  showFields();
  for (const [field, value] of Object.entries(fields)) $(field).value = value;
  $('reason').focus();
};
const button = (kind, fields, label) => { const one = el('button', {type:'button'}, label ?? t(kind)); one.onclick = () => choose(kind, fields); return one; };
// What was chosen stays so while the list is made anew, and at once: a button may choose another right after.
const options = (box, stamp, list) => part(box, stamp, () => list.map(([value, text]) => el('option', {value, selected: value === box.value}, text)));
const showFields = () => {
  const kind = $('kind').value, wanted = FIELDS[kind] ?? [];
  for (const node of document.querySelectorAll('[data-f]')) node.hidden = !wanted.includes(node.dataset.f);
  if (!state) return;
  const games = [...(ALL_GAMES.includes(kind) ? state.running : []), ...state.ended];
  options($('game'), JSON.stringify([look.zh, games]), games.map(game => [game.id, gameText(game)]));
  const open = state.desk.open;
  options($('request'), JSON.stringify([look.zh, open]), open.map(one => [String(one.number), `${one.number}. ${one.by}: ${one.game}, ${t('backTo')} ${one.to_move}`]));
  options($('entrant'), JSON.stringify([look.zh, state.entrants]), state.entrants.filter(one => !one.withdrawn).map(one => [one.name, one.names[look.zh ? 1 : 0]]));
};
const showState = () => {
  const parts = [];
  if (!token) parts.push(t('noToken'));
  else if (linked === 'lost') parts.push(t(state?.over ? 'over' : 'lost'));
  else if (linked === 'barred') parts.push(t('noToken'));
  else if (state) parts.push(state.waits ? t('stands') : t('playing'), state.paused ? `${t('paused')}: ${state.paused.reason} (${state.paused.person})` : null);
  $('state').textContent = clean(parts.filter(Boolean).join(' · '));
  $('state').classList.toggle('lost', !token || linked !== 'playing');
  $('event').textContent = clean(state?.event ?? '');
  document.title = clean(`${t('desk')} ${state?.event ?? ''}`);
};
const show = () => {
  showState(); showFields();
  if (!state) return;
  part($('waits'), JSON.stringify([look.zh, state.desk.open, state.desk.held, state.equals, state.paused]), () => {
    const open = state.desk.open.map(one => el('li', {}, `${one.number}. `, el('bdi', {}, one.by), ` ${t('asks')}: ${one.game}, ${t('backTo')} ${one.to_move} – ${one.reason} `, button('grant', {request: one.number}), button('refuse', {request: one.number})));
    const held = two(state.desk.held).slice(1).map(line => el('li', {}, line.trim()));
    const equals = state.equals.map(block => el('li', {}, `${t('equals')}: ${block.join(', ')} `, button('place', {order: block.join('\n')})));
    const paused = state.paused ? [el('li', {}, `${t('paused')}: ${state.paused.reason} `, button('go-on', {}))] : [];
    const all = [...open, ...held, ...equals, ...paused];
    return all.length ? [el('ul', {}, all)] : [el('p', {}, t('nothing'))];
  });
  part($('games'), JSON.stringify([look.zh, state.running, state.ended]), () => {
    const list = (key, games, make) => games.length ? [el('h3', {}, t(key)), el('ul', {class:'list', tabindex:'0', 'aria-label':t(key)}, games.map(game => el('li', {}, el('span', {class: game.annulled ? 'struck' : null}, gameText(game)), ' ', make(game))))] : [];
    return [...list('running', state.running, game => [button('correct', {game: game.id}), button('ask', {game: game.id})]),
      ...list('ended', state.ended, game => [two(game.reason), ' ', button('rule', {game: game.id}), button('replay', {game: game.id}), button('annul', {game: game.id}), state.every_move ? button('correct', {game: game.id}) : null])];
  });
  part($('words'), JSON.stringify([look.zh, state.desk.words]), () => {
    const words = [...state.desk.words].reverse().map(word => el('li', {}, two(word)));
    return words.length ? [el('ul', {}, words)] : [el('p', {}, t('nothing'))];
  });
};
const showKinds = () => {
  const chosen = $('kind').value;
  $('kind').replaceChildren(...KINDS.map(kind => el('option', {value: kind}, t(kind))));
  $('kind').value = chosen || 'pause';
};

// What the run tells.
const take = async () => {
  try {
    const answer = await ask('desk/state');
    linked = answer.ok ? 'playing' : answer.status === 401 ? 'barred' : 'lost';
    if (answer.ok) state = await answer.json();
  } catch { linked = 'lost'; }
  show();
};
const follow = async () => { if (token && !document.hidden) await take(); setTimeout(follow, linked === 'playing' ? 1000 : 3000); };
const said = () => {
  const kind = $('kind').value, body = { kind, person: $('person').value, reason: $('reason').value };
  if ($('article').value.trim()) body.article = $('article').value;
  for (const field of FIELDS[kind]) {
    const value = $(field).value.trim();
    if (field === 'order') body.order = value.split('\n').map(one => one.trim()).filter(Boolean);
    else if (field === 'to_move' || field === 'request') body[field] = /^\d+$/.test(value) ? +value : null;
    else if (value) body[field] = value;
  }
  return body;
};
$('form').onsubmit = async submitted => {
  submitted.preventDefault();
  $('send').disabled = true;
  remember('referee', $('person').value);
  let good = false, text = t('failed');
  try {
    const answer = await ask('desk/say', JSON.stringify(said())), told = await answer.json().catch(() => null);
    good = answer.ok;
    text = good ? t('done') : told?.why ? two(told.why) : `${t('failed')} (${answer.status})`;
  } catch { linked = 'lost'; }
  if (good) for (const field of ['reason', 'text', 'to_move', 'clocks', 'by', 'order']) $(field).value = '';
  $('answer').className = good ? 'good' : 'bad';
  $('answer').textContent = clean(text);
  $('send').disabled = false;
  await take();
};
$('kind').onchange = showFields;
$('person').value = remember('referee') ?? '';
speak(WORDS, () => { $('answer').textContent = ''; showKinds(); show(); });
showKinds(); show(); follow();
})();
