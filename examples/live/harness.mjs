// What the scripts that look at our pages have in common: chuhe in a folder of its own, Chromium (driven by
// playwright-core), and what must be seen, now or soon. It knows no page. Start at `perform`, which runs a
// script's acts and ends the process.
//
//   npm install --prefix SOMEWHERE playwright-core
//   NODE_PATH=SOMEWHERE/node_modules node examples/live/SCRIPT.mjs CHUHE [FOLDER FOR SCREENSHOTS]
//
// CHROMIUM names the browser (/usr/bin/chromium). A script exits with 1 at the first thing that is not as it
// must be.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

const require = createRequire(join(process.env.NODE_PATH?.split(':')[0] ?? process.cwd(), 'x.js'));
const { chromium } = require('playwright-core');
const script = basename(process.argv[1], '.mjs');
const [program, shots] = process.argv.slice(2).map(path => resolve(path));
if (!program) { console.error(`usage: ${script}.mjs CHUHE [FOLDER]`); process.exit(2); }
const children = [];

// The program, the folder in which it runs, and what the browser has complained of.
export const chuhe = program;
export const place = mkdtempSync(join(tmpdir(), 'chuhe-live-'));
export const wrong = [];

// What must be so now, and what must be so soon.
const fail = what => { throw new Error(what); };
export const must = (so, what) => { if (!so) fail(what); console.log('ok  ' + what); };
export const until = async (what, so, limit = 60000, quiet = false) => {
  const end = Date.now() + limit;
  while (Date.now() < end) { if (await so()) { if (!quiet) console.log('ok  ' + what); return; } await new Promise(go => setTimeout(go, 40)); }
  fail('not seen in time: ' + what);
};

// Begins chuhe and gives the address of its pages (ending in `/`), the secret with which it opens `page` (`desk`
// or `seat`; none for the public page), and its exit to come.
export const start = (words, page = '') => new Promise((found, lost) => {
  const child = spawn(chuhe, words, { cwd: place, stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  const ended = new Promise(done => child.on('exit', done));
  const printed = new RegExp(`(http://\\S+/)${page && page + '#([0-9a-f]{32})'}\\n`);
  let said = '';
  child.stderr.on('data', text => { said += text; const link = printed.exec(said); if (link) found({ url: link[1], token: link[2], ended }); });
  child.on('error', lost);
  child.on('exit', code => lost(new Error(`${words}: exit ${code}: ${said}`)));
});
// Writes a file of the folder; gives its name.
export const config = (name, value) => { writeFileSync(join(place, name), JSON.stringify(value)); return name; };

// Notes what the browser complains of at a page, but for lines of its console that are `meant`.
export const watch = (page, meant) => {
  page.on('pageerror', error => wrong.push(String(error)));
  page.on('dialog', dialog => { wrong.push('a dialog: ' + dialog.message()); void dialog.dismiss(); });
  page.on('console', line => { if (line.type() === 'error' && !meant?.test(line.text())) wrong.push(line.text()); });
};
export const shoot = async (page, name, fullPage = false) => { if (shots) await page.screenshot({ path: join(shots, name + '.png'), fullPage }); };

// Runs the acts one after the other, each given the browser, and ends everything.
export const perform = async (...acts) => {
  let browser, code = 0;
  try {
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    for (const act of acts) await act(browser);
    must(wrong.length === 0, 'the browser has nothing to complain of');
    console.log('everything is as it must be');
  } catch (error) {
    console.error('NOT OK: ' + error.message, wrong);
    for (const [index, page] of (browser?.contexts().flatMap(context => context.pages()) ?? []).entries()) {
      await shoot(page, `wrong-${script}-${index + 1}`).catch(() => {});
      console.error('  ' + page.url(), (await page.locator('body').innerText({ timeout: 5000 }).catch(String)).replace(/\s+/g, ' ').slice(0, 1000));
    }
    code = 1;
  }
  await browser?.close();
  children.forEach(child => child.kill('SIGKILL'));
  rmSync(place, { recursive: true, force: true });
  process.exit(code);
};
