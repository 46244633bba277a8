// Plays a match against the built-in engine as a person does: in a real browser (Chromium, driven by
// playwright-core), at the page of a seat's secret link. By pointer, by keyboard and in words; with illegal
// attempts, a reload and a lost connection in the middle of a game, on a telephone and on a desktop.
//
//   NODE_PATH=SOMEWHERE/node_modules node examples/live/seat.mjs CHUHE [FOLDER FOR SCREENSHOTS]
//
// How to get playwright-core, and which browser is meant, is told in `harness.mjs`.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chuhe, config, must, perform, place, shoot, start, until, watch } from './harness.mjs';

// A refusal and a cut line are errors for the browser's console, and meant here.
const MEANT = /Failed to load resource/;
const stateOf = async ({ url, token }) => (await fetch(url + 'seat/state', { headers: { Authorization: 'Bearer ' + token } })).json();
// Where a point of the board is on the screen.
const pointOf = async (page, square) => page.evaluate(square => {
  const board = document.querySelector('#large svg.board'), file = square.charCodeAt(0) - 97, rank = +square[1];
  const turned = document.querySelector('#flip').getAttribute('aria-pressed') === 'true';
  const point = new DOMPoint(56 + 60 * (turned ? 8 - file : file), 56 + 60 * (turned ? rank : 9 - rank)).matrixTransform(board.getScreenCTM());
  return [point.x, point.y];
}, square);
const press = async (page, square) => { await page.locator('#large svg.board').scrollIntoViewIfNeeded(); await page.mouse.click(...await pointOf(page, square)); };
const onTurn = (page, what = 'it is our turn', quiet = true) => until(what, async () => await page.locator('#turn.mine').isVisible() && await page.locator('#text').isEnabled(), 60000, quiet);
// A move that is legal now, best a capture: the game should be one.
const anyMove = state => {
  const cells = {};
  state.game.fen.split(' ')[0].split('/').forEach((row, down) => { let file = 0; for (const one of row) if (/\d/.test(one)) file += +one; else cells['abcdefghi'[file++] + (9 - down)] = one; });
  const taking = state.turn.legal.filter(move => cells[move.slice(2)]);
  const list = taking.length ? taking : state.turn.legal;
  return list[(state.game.moves.length * 7) % list.length];
};
const play = async (page, run) => {
  await onTurn(page);
  const state = await stateOf(run), move = anyMove(state);
  await press(page, move.slice(0, 2));
  await until('a piece is picked', async () => await page.locator('#large .picked').count() === 1, 5000, true);
  await press(page, move.slice(2));
  await until('the move is taken', async () => { const now = await stateOf(run); return now.turn?.id !== state.turn.id; }, 10000, true);
  return { state, move };
};

async function main(browser) {
  const match = config('match.json', {
    event: 'Man and machine', time: '90+1', format: { type: 'pairs', pairs: 1 }, rules: { max_plies: 40 }, journal: 'move',
    entrants: [{ name: 'Anna <b>Li</b>', name_zh: '李安娜', engine: 'person' }, { name: 'Spar', name_zh: '陪练', engine: 'sparring', options: { Level: 3 } }],
  });
  const run = await start(['run', match, '--out', 'match', '--live', '0'], 'seat');
  const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, locale: 'en-GB' });
  const page = await phone.newPage(), asked = [];
  watch(page, MEANT);
  page.on('request', request => asked.push(request.url()));
  await page.goto(run.url + 'seat#' + '0'.repeat(32));
  await until('a wrong link is said to be one', async () => /not valid/.test(await page.locator('#state').textContent()));
  must(!await page.locator('#here').isVisible() && !await page.locator('#game').isVisible(), 'and opens nothing');
  await page.goto('about:blank');
  await page.goto(run.url + 'seat#' + run.token);
  await page.locator('#here').waitFor();
  must(!page.url().includes(run.token), 'the secret is not left in the address');
  must((await page.locator('#who').textContent()).includes('<b>'), 'a name is text');
  await shoot(page, 'seat-phone-arrive');
  await page.locator('#here').click();
  await onTurn(page, 'the game begins', false);

  // A piece and its targets; what is no target does nothing.
  await press(page, 'h2');
  must(await page.locator('#large .dot, #large .ring').count() === 12, 'the cannon has its twelve targets');
  await shoot(page, 'seat-phone-picked');
  const before = await stateOf(run);
  await press(page, 'd5');
  await page.waitForTimeout(200);
  must((await stateOf(run)).turn?.id === before.turn.id && await page.locator('#large .picked').count() === 0, 'an illegal target is no move');
  await page.locator('#text').fill('h2h4 or so');
  await page.locator('#text').press('Enter');
  await until('what cannot be read is refused', async () => await page.locator('#said.refused').isVisible());
  await page.locator('#text').fill('a0a5');
  await page.locator('#text').press('Enter');
  await until('an illegal move is refused', async () => /illegal|not legal|legal/i.test(await page.locator('#said.refused').textContent()));
  must((await stateOf(run)).turn?.id === before.turn.id, 'and it is still our turn');
  await shoot(page, 'seat-phone-refused');
  const first = await page.locator('#place .player').last().locator('.clock').textContent();
  await until('the own clock ticks', async () => await page.locator('#place .player').last().locator('.clock').textContent() !== first, 3000);
  const seconds = text => text.split(':').map(Number).reduce((sum, part) => sum * 60 + part, 0);
  const off = await page.evaluate(() => document.querySelector('#below .clock').textContent).then(async text => { const { turn } = await stateOf(run); return Math.abs(seconds(text) - (turn.left_ms - turn.asked_ms) / 1000); });
  must(off < 1.2, `the clock shows what the runner says (off by ${off.toFixed(2)} s; it shows whole seconds)`);

  // The same move in Chinese, typed.
  await page.locator('#text').fill('炮二平五');
  await page.locator('#move button').click();
  await until('a move typed in Chinese is played', async () => (await stateOf(run)).game.moves[0] === 'h2e2');
  await onTurn(page, 'the engine answers', false);
  must(/Opponent/.test(await page.locator('#told').textContent()), 'the opponent’s move is said aloud: ' + await page.locator('#told').textContent());
  must(await page.locator('#large .mark[display=inline]').count() === 2, 'its last move is marked');
  for (let moves = 0; moves < 3; moves++) await play(page, run);

  // Reload: everything is as it was.
  await onTurn(page);
  const list = await page.locator('#moves').textContent();
  await page.reload();
  await onTurn(page, 'after a reload it is our turn', false);
  must(await page.locator('#moves').textContent() === list, 'and all moves are there');
  await shoot(page, 'seat-phone-play');

  // A lost connection.
  await phone.setOffline(true);
  await until('a lost connection is said', async () => /Connection lost/.test(await page.locator('#state').textContent()));
  await phone.setOffline(false);
  await until('it comes back', async () => /Connected/.test(await page.locator('#state').textContent()), 20000);
  await page.locator('#lang').click();
  must(await page.locator('html').getAttribute('lang') === 'zh-Hans' && /李安娜/.test(await page.locator('#who').textContent()), 'the page is in Chinese');
  must(/[一二三四五六七八九]/.test(await page.locator('#moves bdi').first().textContent()), 'moves are in Chinese');
  must(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than a phone');
  await play(page, run);
  await onTurn(page);
  await shoot(page, 'seat-phone-zh');
  await shoot(page, 'seat-phone-whole', true);

  // On a desktop, by keys: the same seat in another window.
  const desktop = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  const wide = await desktop.newPage();
  watch(wide, MEANT);
  await wide.goto(run.url + 'seat#' + run.token);
  await onTurn(wide, 'the seat opens in another window too', false);
  const state = await stateOf(run), move = anyMove(state);
  await wide.locator('#large svg.board').focus();
  const walk = async (from, to) => {
    const across = to.charCodeAt(0) - from.charCodeAt(0), up = +to[1] - +from[1];
    for (let i = 0; i < Math.abs(across); i++) await wide.keyboard.press(across > 0 ? 'ArrowRight' : 'ArrowLeft');
    for (let i = 0; i < Math.abs(up); i++) await wide.keyboard.press(up > 0 ? 'ArrowUp' : 'ArrowDown');
  };
  await walk('e4', move.slice(0, 2));
  await wide.keyboard.press('Enter');
  must(/picked/.test(await wide.locator('#told').textContent()), 'by keys a piece is picked, and said: ' + await wide.locator('#told').textContent());
  await walk(move.slice(0, 2), move.slice(2));
  await shoot(wide, 'seat-desktop-keys');
  await wide.keyboard.press('Enter');
  await until('a move is made by keys', async () => (await stateOf(run)).game.moves[state.game.moves.length] === move);
  await onTurn(wide);
  await wide.locator('#offer').click();
  await until('a draw can be offered', async () => (await stateOf(run)).offers_draw && await wide.locator('#offer').getAttribute('aria-pressed') === 'true');
  await wide.locator('#offer').click();
  await until('and taken back', async () => !(await stateOf(run)).offers_draw);

  // To the end of the game, then the second with the other colour.
  for (;;) {
    await until('a turn or the next game', async () => await wide.locator('#turn.mine').isVisible(), 60000, true);
    const now = await stateOf(run);
    if (now.game?.colour === 'black') break;
    if (now.turn) await play(wide, run);
  }
  console.log('ok  the second game has begun');
  must(await wide.locator('#flip').getAttribute('aria-pressed') === 'true' && await wide.locator('#below .player.black').count() === 1, 'Black sits below');
  for (let moves = 0; moves < 2; moves++) await play(wide, run);
  await onTurn(wide);
  await shoot(wide, 'seat-desktop-black');
  await wide.locator('#resign').click();
  await wide.locator('#stay').click();
  must((await stateOf(run)).turn !== null, 'resigning asks first');
  await wide.locator('#resign').click();
  await shoot(wide, 'seat-desktop-resign');
  await wide.locator('#give-up').click();
  const code = await Promise.race([run.ended, new Promise(go => setTimeout(() => go('no end'), 30000))]);
  must(code === 0, 'the run is over: exit ' + code);
  await until('the page says so', async () => /over|lost/.test(await wide.locator('#state').textContent()));
  must(asked.every(url => url.startsWith(run.url) || url === 'about:blank'), 'nothing is loaded from elsewhere');

  const verified = spawnSync(chuhe, ['verify', 'match'], { cwd: place, encoding: 'utf8' });
  must(verified.status === 0, 'chuhe verify accepts the folder');
  const kept = ['journal.jsonl', 'games.pgn', 'summary.json'].map(name => readFileSync(join(place, 'match', name), 'utf8')).join('');
  must(!kept.includes(run.token), 'the secret is in no record');
  must(/resign/i.test(readFileSync(join(place, 'match', 'games.pgn'), 'utf8')), 'the record says that a game was resigned');
}

// The man-machine match of 2006 by its preset, 45 minutes scaled to 27 s: one game to its end with an illegal
// attempt, a reload and a lost connection, one in which the person answers no more.
async function byPreset(browser) {
  const preset = JSON.parse(readFileSync(new URL('../../configs/2006-man-machine.json', import.meta.url), 'utf8'));
  const { registration, ...machine } = preset.entrants[1];
  preset.entrants = [{ name: 'Master 1', name_zh: '大师一', engine: 'person', registration }, { ...machine, registration }];
  const run = await start(['run', config('preset.json', preset), '--time-scale', '0.01', '--out', 'preset', '--live', '0'], 'seat');
  const context = await browser.newContext({ viewport: { width: 1024, height: 768 }, locale: 'en-GB' });
  const page = await context.newPage();
  watch(page, MEANT);
  await page.goto(run.url + 'seat#' + run.token);
  await page.locator('#here').click();
  await onTurn(page, 'the match by preset begins', false);
  await page.locator('#text').fill('a0a5');
  await page.locator('#text').press('Enter');
  await until('an illegal move is refused there too', async () => await page.locator('#said.refused').isVisible());
  for (let moves = 0; moves < 2; moves++) await play(page, run);
  await page.reload();
  await onTurn(page, 'it goes on after a reload', false);
  await context.setOffline(true);
  await until('the connection is lost', async () => /Connection lost/.test(await page.locator('#state').textContent()));
  await context.setOffline(false);
  await onTurn(page, 'it goes on after a lost connection', false);
  for (;;) {
    await until('a turn or the next game', async () => await page.locator('#turn.mine').isVisible(), 60000, true);
    const now = await stateOf(run);
    if (now.game?.number === 2) break;
    if (now.turn) await play(page, run).catch(async error => { if ((await stateOf(run)).game?.number !== 2) throw error; });
  }
  await until('how the first game ended is said', async () => /1\.1\.1\.1/.test(await page.locator('#ended').textContent()));
  console.log('    ' + await page.locator('#ended').textContent());
  const code = await Promise.race([run.ended, new Promise(go => setTimeout(() => go('no end'), 90000))]);
  must(code === 0, 'who answers no more ends the match: exit ' + code);
  must(spawnSync(chuhe, ['verify', 'preset'], { cwd: place }).status === 0, 'chuhe verify accepts the folder of the event');
  const games = readFileSync(join(place, 'preset', 'journal.jsonl'), 'utf8').split('\n').filter(line => line.includes('"game_over"')).map(line => JSON.parse(line));
  console.log('    ' + games.map(over => `${over.game} ${over.result} ${over.termination?.kind ?? JSON.stringify(over.termination)}`).join('; '));
  must(games.length === 2 && JSON.stringify(games[1].termination).includes('flag'), 'two games, the second lost on time');
}

await perform(main, byPreset);
