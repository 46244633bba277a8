// Sits at the referee's desk in a real browser (Chromium, driven by playwright-core) beside a public page and
// holds both against what must be there: the token leaves the address, a request is entered and granted, one is
// refused, a pause, an overruled result, an announcement that is hostile text, both languages.
//
//   NODE_PATH=SOMEWHERE/node_modules node examples/live/desk.mjs CHUHE [FOLDER FOR SCREENSHOTS]
//
// How to get playwright-core, and which browser is meant, is told in `harness.mjs`.
import { chuhe, config, must, perform, shoot, start, until, watch } from './harness.mjs';

// What is refused is an error for the browser's console, and meant here.
const REFUSED = /40[019]/;

async function main(browser) {
  const engine = { command: chuhe, protocol: 'uci', args: ['fake-engine', '--think', '120'] };
  const match = config('match.json', {
    event: 'Desk <b>Cup</b>', time: '60', journal: 'move', concurrency: 1, rules: { max_plies: 160 }, format: { type: 'pairs', pairs: 5 },
    entrants: [{ name: 'Tiger', name_zh: '飞虎', engine }, { name: 'Lotus', name_zh: '莲花', engine }],
  });
  const { url: root, token } = await start(['run', match, '--out', 'run', '--quiet', '--live', '0', '--desk'], 'desk');
  const address = root + 'desk#' + token;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' });
  const [desk, seen] = [await context.newPage(), await context.newPage()];
  for (const page of [desk, seen]) watch(page, REFUSED);
  await desk.goto(address);
  await seen.goto(root);
  await until('a game is under way', async () => /half-moves/.test(await desk.locator('#games').textContent()));
  must(!desk.url().includes(token), 'the token leaves the address');
  must(await desk.locator('#event').textContent() === 'Desk <b>Cup</b>', 'the name of the event is text');
  await desk.reload();
  await until('a reload still sits at the desk', async () => /half-moves/.test(await desk.locator('#games').textContent()));
  const words = async what => await until('the public sees: ' + what, async () => (await seen.locator('#desk').textContent()).includes(what));
  const say = async (kind, fields, reason) => {
    await desk.locator('#kind').selectOption(kind);
    for (const [field, value] of Object.entries(fields)) {
      const one = desk.locator('#' + field);
      if (await one.evaluate(node => node.tagName) === 'SELECT') await one.selectOption(value); else await one.fill(value);
    }
    await desk.locator('#person').fill('Chief Li');
    await desk.locator('#reason').fill(reason);
    await desk.locator('#answer').evaluate(node => { node.textContent = ''; });
    await desk.locator('#send').click();
    await until(`an answer to '${kind}'`, async () => await desk.locator('#answer').textContent() !== '');
    return await desk.locator('#answer').evaluate(node => [node.className, node.textContent].join(': '));
  };
  const plies = async () => +(/\((\d+) half-moves\)/.exec(await desk.locator('#games').textContent())?.[1] ?? 0);
  await until('enough was played', async () => await plies() > 14);
  must(/^bad: .*cannot go back/.test(await say('ask', { game: '1.1.1.1', to_move: '999', by: 'Operator Wang' }, 'x')), 'what cannot be is told why');
  must(/^good/.test(await say('ask', { game: '1.1.1.1', to_move: '8', by: 'Operator Wang' }, 'wrong key')), 'a request is entered');
  await words('Operator Wang: asks (request 1)');
  await desk.locator('#waits button').first().click();
  must(await desk.locator('#kind').inputValue() === 'grant', 'a request has a button to grant it');
  must(/^good/.test(await say('grant', { request: '1' }, 'I.12')), 'it is granted');
  await words('request 1 is granted: game 1.1.1.1 goes back to half-move 8');
  must(/^good/.test(await say('ask', { game: '1.1.1.1', to_move: '2', by: 'Operator Zhao' }, 'I do not like it')), 'another one is entered');
  await until('it is listed', async () => await desk.locator('#request option').count() >= 0 && /Zhao/.test(await desk.locator('#waits').textContent()));
  must(/^good/.test(await say('refuse', { request: '2' }, 'no slip')), 'and refused');
  await words('request 2 is refused');
  must(/^good/.test(await say('pause', {}, 'too loud')), 'the run is paused');
  await until('the public sees the pause', async () => /Paused: too loud/.test(await seen.locator('#state').textContent()));
  await shoot(desk, 'desk-paused', true);
  await until('the run waits for the desk', async () => /waits for this desk/.test(await desk.locator('#state').textContent()));
  must(/^good/.test(await say('rule', { game: '1.1.1.1', result: '1-0' }, 'a protest')), 'a result is overruled');
  await words('-> 1-0 (automatic');
  must(/^good/.test(await say('announce', { text: '<img src=x onerror=alert(1)>\u202eTea' }, 'a pause')), 'something is announced');
  await words('announcement: <img src=x onerror=alert(1)>');
  must(await seen.locator('main img').count() === 0 && await desk.locator('main img').count() === 0, 'a hostile announcement makes no element');
  must(/^good/.test(await say('go-on', {}, 'quiet')), 'it goes on');
  await until('the pause is over', async () => !/Paused/.test(await seen.locator('#state').textContent()));
  await until('the next game is under way', async () => await desk.locator('#games ul').count() === 2 && await plies() > 0);
  // The list of games is made anew with those under way: what a button chose stays chosen, not what was before.
  await desk.locator('#kind').selectOption('annul');
  must(await desk.locator('#game').inputValue() === '1.1.1.1', 'the finished game can be chosen');
  await desk.locator('#games ul').first().locator('button').first().click();
  await desk.waitForTimeout(100);
  must(await desk.locator('#kind').inputValue() === 'correct' && await desk.locator('#game').inputValue() === '1.1.1.2', 'a game has a button that chooses it');
  await desk.locator('#game').selectOption('1.1.1.1');
  const listed = await desk.locator('#game').textContent();
  await until('the list is made anew', async () => await desk.locator('#game').textContent() !== listed);
  must(await desk.locator('#game').inputValue() === '1.1.1.1', 'and what was chosen stays chosen');
  await desk.locator('#lang').click();
  must((await desk.locator('h1').textContent()).startsWith('裁判席'), 'the desk is Chinese too');
  must(await desk.evaluate(() => localStorage.getItem('chuhe-lang') + localStorage.getItem('chuhe-pieces')) === 'zhnull', 'the choice is kept, and that of the boards left alone');
  await until('its words are Chinese', async () => (await desk.locator('#words').textContent()).includes('批准第 1 号申请'));
  await shoot(desk, 'desk-zh', true);
  await shoot(seen, 'desk-public', true);
  const small = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'en-GB' });
  const phone = await small.newPage();
  watch(phone, REFUSED);
  await phone.goto(address);
  await until('the desk fits a phone', async () => /half-moves|Played/.test(await phone.locator('#games').textContent()) && await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await shoot(phone, 'desk-phone', true);
  const stranger = await small.newPage();
  watch(stranger, REFUSED);
  await stranger.goto(root + 'desk#' + '0'.repeat(32));
  await until('a wrong token sees nothing', async () => /opens only with the address/.test(await stranger.locator('#state').textContent()) && await stranger.locator('#games li').count() === 0);
}

await perform(main);
