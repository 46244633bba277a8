// Looks at the live page in a real browser (Chromium, driven by playwright-core) and holds what it sees
// against what must be there: boards that move, clocks that tick as the runner's do, both languages, a ruling
// with its explanation, hostile names as plain text, the keyboard, nothing loaded from elsewhere.
//
//   NODE_PATH=SOMEWHERE/node_modules node examples/live/browser.mjs CHUHE [FOLDER FOR SCREENSHOTS]
//
// How to get playwright-core, and which browser is meant, is told in `harness.mjs`.
import { chuhe, config, must, perform, shoot, start, until, watch } from './harness.mjs';

const HOSTILE = '<img src=x onerror=alert(1)>\u202e';
// At full strength an engine takes the time it is given: the first games last far longer than we look at them.
const entrant = (name, more) => ({ name, engine: 'sparring', ...more });

async function main(browser) {
  // A match with a clock: slow enough to be looked at.
  const slow = config('slow.json', {
    event: 'Harbour <b>Cup</b>', site: 'Ningbo', time: '30+1', concurrency: 2, format: { type: 'round-robin', cycles: 2 },
    rules: { max_plies: 120 },
    entrants: [entrant('Tiger', { name_zh: '飞虎' }), entrant(HOSTILE), entrant('Lotus', { name_zh: '莲花' })],
  });
  const { url } = await start(['run', slow, '--out', 'slow', '--quiet', '--live', '0']);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  const page = await context.newPage();
  const asked = [];
  page.on('request', request => asked.push(request.url()));
  watch(page);
  await page.goto(url);
  await until('two boards', async () => await page.locator('.card').count() === 2);
  await until('a move on a board', async () => /\d+\./.test(await page.locator('.card .last').first().textContent()));
  must(await page.locator('#event').textContent() === 'Harbour <b>Cup</b>', 'the name of the event is text');
  must(await page.locator('main img').count() === 0, 'a hostile name makes no element');
  must(!(await page.locator('main').textContent()).includes('\u202e'), 'a hostile name turns no text around');
  await shoot(page, 'desktop-boards');

  // One board, by the keyboard.
  await page.locator('.card').first().focus();
  await page.keyboard.press('Enter');
  await until('one board is large', async () => await page.locator('#one').isVisible() && await page.locator('#large svg.board .pr').count() > 0);
  must(await page.locator('.lines > div').count() === 2, 'both engines have a place for their lines');
  const sizes = await page.locator('.lines > div').evaluateAll(all => all.map(one => [one.offsetWidth, one.offsetHeight].join()));
  must(sizes[0] === sizes[1], 'both places are of one size: ' + sizes[0]);
  await until('both engines show a thinking line', async () => await page.locator('.lines dl').count() === 2);

  // The clock that is shown is the runner's: at a moment of the browser both are asked.
  const seconds = text => { const parts = text.replace('+', '').split(':').map(Number); return parts.reduce((sum, part) => sum * 60 + part, 0); };
  let best = Infinity;
  for (let tries = 0; tries < 12 && best > 0.15; tries++) {
    const seen = await page.evaluate(async () => {
      const id = /\d+\.\d+\.\d+\.\d+/.exec(document.querySelector('#one-title').textContent)[0];
      const before = performance.now();
      const told = await (await fetch('state')).json();
      const took = performance.now() - before;
      const board = told.boards.find(board => board.id === id);
      const side = board?.running?.[0];
      const shown = side && document.querySelector(`#large .player.${side} .clock`).textContent;
      return { took, side, shown, left: side && (board.left[side === 'red' ? 0 : 1] - (told.now - board.running[1])) / 1e6 };
    });
    if (seen.side) best = Math.min(best, Math.abs(seconds(seen.shown) - seen.left));
    await page.waitForTimeout(200);
  }
  must(best <= 0.3, `the clock shows what the runner's clock says (off by ${best.toFixed(2)} s, it shows tenths and whole seconds)`);
  const ticking = page.locator('#large .clock.runs').first();
  const then = await page.locator('#large .clock').allTextContents();
  await until('clocks tick', async () => JSON.stringify(await page.locator('#large .clock').allTextContents()) !== JSON.stringify(then), 3000);
  must(await ticking.count() <= 1, 'at most one clock of a board runs');

  await until('some moves are listed', async () => await page.locator('.moves button').count() > 6);
  await page.keyboard.press('Home');
  must(await page.locator('.moves [aria-current]').count() === 0, 'Home shows the start');
  await page.keyboard.press('ArrowRight');
  must(await page.locator('.moves [aria-current]').getAttribute('data-p') === '1', 'the arrow shows the first move');
  await page.keyboard.press('End');
  await shoot(page, 'desktop-one');
  const wxf = await page.locator('.moves button').first().textContent();
  await page.locator('#lang').click();
  must(await page.locator('html').getAttribute('lang') === 'zh-Hans', 'the page is in Chinese');
  const chinese = await page.locator('.moves button').first().textContent();
  must(/[一二三四五六七八九]/.test(chinese) && chinese !== wxf, `moves are in Chinese: ${wxf} is ${chinese}`);
  must((await page.locator('#one-title').textContent()).match(/飞虎|莲花/) !== null, 'names are in Chinese');
  await page.locator('#notation').selectOption('0');
  must(/^[a-i]\d[a-i]\d$/.test(await page.locator('.moves button').first().textContent()), 'moves are in coordinates');
  await page.locator('#notation').selectOption('2');
  await shoot(page, 'desktop-one-zh');
  const label = await page.locator('#large svg.board').getAttribute('aria-label');
  must(/走棋/.test(label), 'the board says in words what stands on it');
  await page.locator('#flip').click();
  must(await page.locator('#large .player').first().evaluate(node => node.classList.contains('red')), 'Red is above on a turned board');
  await page.keyboard.press('Escape');
  await until('all boards are back', () => page.locator('#all').isVisible());

  // A phone, with a runner's clock that is the same there.
  const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, locale: 'zh-CN' });
  const small = await phone.newPage();
  watch(small);
  await small.goto(url + '#board-1');
  await until('a phone shows a board', async () => await small.locator('#large svg.board .pr').count() > 0);
  must(await small.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than a phone');
  await shoot(small, 'phone-one');
  await shoot(small, 'phone-whole', true);
  const projector = await browser.newContext({ viewport: { width: 2560, height: 1440 } });
  const wide = await projector.newPage();
  watch(wide);
  await wide.goto(url + '#board-2');
  await until('a projector shows a board', async () => await wide.locator('#large svg.board .pr').count() > 0);
  await shoot(wide, 'projector-one');

  // A ruling appears while somebody watches: two engines that repeat.
  const player = moves => ({ command: chuhe, protocol: 'ucci', args: ['fake-engine', '--think', '150', '--info', '3', '--moves', moves] });
  const ruled = config('ruled.json', {
    event: 'Repetitions', time: '20', format: { type: 'pairs', pairs: 30 },
    openings: { list: ['3k5/9/9/9/9/9/9/9/R8/4K4 w - - 0 1'] },
    entrants: [{ name: 'Checks', engine: player('a1a9 | a9a8 a8a9') }, { name: 'Runs', engine: player('d9d8 d8d9') }],
  });
  const second = await start(['run', ruled, '--out', 'ruled', '--quiet', '--live', '0']);
  const referee = await context.newPage();
  watch(referee);
  await referee.goto(second.url);
  await until('a ruling is listed', async () => await referee.locator('#rulings details').count() > 0);
  await referee.locator('#rulings summary').first().click();
  await until('the ruling is explained', async () => (await referee.locator('#rulings pre').first().textContent()).length > 300);
  await shoot(referee, 'ruling-whole', true);
  await until('the schedule links to finished games', async () => await referee.locator('#schedule a').count() > 0);

  // The same folder, read by another program.
  const later = await start(['watch', 'ruled', '--addr', '0']);
  const watching = await context.newPage();
  watch(watching);
  await watching.goto(later.url);
  await until('a watched folder shows its rulings', async () => await watching.locator('#rulings details').count() > 0);
  await watching.locator('#rulings summary').first().click();
  await watching.locator('#rulings details a').first().click();
  await until('a finished game can be opened', async () => await watching.locator('.moves button').count() > 4);
  await shoot(watching, 'watched-game');

  const foreign = asked.filter(asked => !asked.startsWith(url));
  must(foreign.length === 0, 'nothing is loaded from elsewhere ' + foreign);
}

await perform(main);
