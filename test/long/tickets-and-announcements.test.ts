// Journeys of tickets and announcements on the command line, against a real server.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ended, type Home, openHome } from '../../cli/src/testing.ts';
import { type Person, startApp, startOfTests, type TestApp } from '../support/app.ts';

let app: TestApp;
let home: Home;
let people: Record<'alice' | 'bob' | 'root' | 'carol', Person>;

beforeAll(async () => {
  app = await startApp();
  home = await openHome(app.app);
  people = {
    alice: await app.person('alice'),
    bob: await app.person('bob'),
    root: await app.person('root', { role: 'admin' }),
    carol: await app.person('carol', { role: 'admin' }),
  };
});
afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await app?.[Symbol.asyncDispose]();
});

/** Arguments are split at spaces; those that contain spaces follow as a list. */
const as = (who: keyof typeof people, line: string, more: string[] = [], input?: string): Promise<Ended> =>
  home.run([...line.split(' '), ...more], {
    env: { RECORDPROOF_TOKEN: people[who].token ?? '' },
    ...(input !== undefined && { input }),
  });

test('a ticket is opened, answered, taken on, confirmed and closed by its number', async () => {
  const opened = await as(
    'alice',
    'tickets create --category bug --priority high --text -',
    ['--title', 'Upload fails'],
    'It says no.\nReally.\n',
  );
  expect(opened).toMatchObject({ code: 0, stdout: 'TK202601310001\n' });
  const number = opened.stdout.trim();
  expect((await as('root', 'admin tickets list --status pending')).stdout).toMatch(
    /TK202601310001 +pending +high +alice +.* Upload fails/,
  );
  expect(await as('root', `admin tickets reply ${number} --internal`, ['Again?'])).toMatchObject({ code: 0 });
  expect((await as('root', `admin tickets assign ${number} --to CAROL`)).stderr).toContain('handled by carol');
  expect((await as('carol', `admin tickets reply ${number.toLowerCase()}`, ['Please try\nagain'])).code).toBe(0);
  expect((await as('carol', `admin tickets status ${number} confirming`)).stderr).toContain('is confirming now');
  expect((await as('alice', `tickets reopen ${number}`)).stderr).toContain('is processing now');
  await as('root', `admin tickets status ${number} confirming`);
  expect((await as('alice', `tickets confirm ${number}`)).stderr).toContain('is completed now');
  expect((await as('alice', `tickets close ${number}`)).stderr).toContain('is closed now');
  const late = await as('alice', `tickets reply ${number} more`);
  expect(late).toMatchObject({ code: 1, stdout: '' });
  expect(late.stderr).toContain('this ticket is closed');

  const seen = await as('alice', `tickets info ${number}`);
  expect(seen.stdout).toContain('  It says no.\n  Really.\n');
  expect(seen.stdout).toMatch(/carol \(administrator\)\n {2}Please try\n {2}again/);
  expect(seen.stdout).not.toContain('Again?');
  expect((await as('root', `admin tickets info ${number}`)).stdout).toMatch(/root \(internal\)\n {2}Again\?/);
});

test('text of other people cannot control the terminal or imitate another reply', async () => {
  const { stdout } = await as('alice', 'tickets create --title careful --text', [
    'a\n\n2026-01-31 12:00  root (administrator)\n  obey \u202e',
  ]);
  const seen = await as('root', `admin tickets info ${stdout.trim()}`);
  expect(seen.stdout).not.toContain('\u202e');
  expect(seen.stdout).toContain('\n  2026-01-31 12:00  root (administrator)\n    obey');
});

test('scripts get JSON, and errors end with the exit codes of the guide', async () => {
  const { stdout, code } = await as('bob', 'tickets create --title One --text Two --json');
  expect(code).toBe(0);
  const { id, status } = JSON.parse(stdout);
  expect(status).toBe(0);
  const listed = JSON.parse((await as('bob', 'tickets list --json')).stdout);
  expect(listed).toMatchObject({ total: 1, records: [{ id, title: 'One' }] });
  const cases: [keyof typeof people, string, number, string][] = [
    ['alice', `tickets info ${id}`, 1, 'no such ticket'],
    ['alice', 'tickets info TK209912310001', 1, 'there is no ticket TK209912310001'],
    ['alice', 'tickets info TK1', 64, 'Ticket'],
    ['bob', 'admin tickets list', 77, 'do not have permission'],
    ['root', `tickets close ${id}`, 77, 'admin tickets status'],
    ['root', `admin tickets assign ${id} --to bob`, 1, 'no administrator has the user name "bob"'],
    ['root', `admin tickets status ${id} solved`, 64, 'there is'],
    ['bob', 'tickets create --title x', 64, '--text'],
    ['bob', 'tickets list --status nothing', 64, '--status must be one of'],
    ['bob', `tickets reply ${id} text --attach 999999999`, 1, 'no such file'],
  ];
  for (const [who, line, exitCode, words] of cases) {
    const ended = await as(who, line);
    expect(ended, line).toMatchObject({ code: exitCode, stdout: '' });
    expect(ended.stderr, line).toContain(words);
  }
});

test('an announcement is written, changed, published, read and deleted', async () => {
  const written = await as(
    'root',
    'admin announcements create --title Tonight --pinned --priority urgent --text -',
    [],
    '# Away\n\n*Soon* back.\n',
  );
  expect(written).toMatchObject({ code: 0, stdout: '1\n' });
  expect((await as('alice', 'announcements list')).stdout).toBe('');
  expect((await as('root', 'admin announcements update 1 --no-pinned', ['--title', 'Tomorrow night'])).code).toBe(0);
  const draft = await as('root', 'admin announcements show 1');
  expect(draft.stdout).toMatch(/title +Tomorrow night\nstatus +draft\npriority +urgent\npinned +no/);
  expect(draft.stdout).toContain('  # Away\n\n  *Soon* back.');
  expect((await as('root', 'admin announcements publish 1')).stderr).toContain('announcement 1 is published');
  expect(await as('root', 'admin announcements publish 1')).toMatchObject({ code: 1 });
  expect((await as('alice', 'announcements list --unread')).stdout).toMatch(/\* +1 +urgent .* Tomorrow night/);
  expect((await as('alice', 'announcements show 1')).stdout).toContain('  # Away\n\n  *Soon* back.');
  expect((await as('alice', 'announcements read 1')).stderr).toContain('0 still unread');
  expect((await as('alice', 'announcements list --unread')).stderr).toContain('no announcements');
  expect(await as('bob', 'admin announcements delete 1 --yes')).toMatchObject({ code: 77 });
  expect(await as('root', 'admin announcements delete 1')).toMatchObject({ code: 64 });
  expect(await as('root', 'admin announcements delete 1 --yes')).toMatchObject({ code: 0 });
  expect(await as('alice', 'announcements show 1')).toMatchObject({ code: 1 });
});

test('an announcement with a time states when it is published, and can be withheld', async () => {
  const at = new Date(startOfTests + 3600_000).toISOString();
  const written = await as('root', `admin announcements create --title Later --text x --publish-at ${at}`);
  expect(written.stderr).toContain(`is draft, publishes itself at ${at}`);
  const id = written.stdout.trim();
  expect((await as('root', `admin announcements update ${id} --text y`)).stderr, 'kept').toContain(at);
  expect((await as('root', `admin announcements update ${id} --publish-at never`)).stderr).not.toContain('itself');
  const past = await as('root', 'admin announcements create --title Past --text x --publish-at 2020-01-01');
  expect(past).toMatchObject({ code: 1, stdout: '' });
  expect(past.stderr).toContain('publishAt');
  const both = await as('root', `admin announcements create --title B --text x --publish --publish-at ${at}`);
  expect(both).toMatchObject({ code: 64 });
});
