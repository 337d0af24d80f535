// The log of a process: completeness at every kind of exit, order, and redaction of secrets.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** What a process writes that opens a log, runs `script` with it and ends as the script says. */
async function logOf(script: string): Promise<readonly Record<string, unknown>[]> {
  const program = `
    import { openLog, withoutSearch } from './log.ts';
    const log = await openLog({ level: 'info', pretty: false });
    ${script}
  `;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
  });
  const { stderr } = await run.catch((failure: { stderr: string }) => failure);
  const lines = stderr.split('\n').filter(line => line.startsWith('{'));
  return lines.map(line => JSON.parse(line));
}

const messages = async (script: string) => (await logOf(script)).map(({ level, msg }) => `${level} ${msg}`);

test('every line is written when the process ends normally', async () => {
  expect(await messages(`log.info('one'); log.error('two'); log.info('three');`)).toEqual([
    'info one',
    'error two',
    'info three',
  ]);
});

test('every line is written when the process exits at once or by an error', async () => {
  expect(await messages(`log.info('one'); process.exit(1);`)).toEqual(['info one']);
  expect(await messages(`log.info('one'); throw new Error('oops');`)).toEqual(['info one']);
});

test('a warning is written immediately, with all lines before it', async () => {
  expect(await messages(`log.info('one'); log.warn('two'); process.kill(process.pid, 'SIGKILL');`)).toEqual([
    'info one',
    'warn two',
  ]);
});

test('thousands of lines are written in order', async () => {
  const said = await messages(`for (let at = 0; at < 5000; at += 1) log.info('line ' + at);`);
  expect(said).toEqual(Array.from({ length: 5000 }, (_, at) => `info line ${at}`));
});

test('secrets are removed by field name, except from a log without search', async () => {
  const [searched, unsearched] = await logOf(
    `const fields = { token: 't', user: { password: 'p', name: 'n' } };
     log.info(fields, 'one'); withoutSearch(log).info(fields, 'two');`,
  );
  expect(searched).toMatchObject({ token: '(cut)', user: { password: '(cut)', name: 'n' } });
  expect(unsearched).toMatchObject({ token: 't' });
});
