// The first command on a fresh checkout, where npm fails.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url));
const nowhere = 'http://127.0.0.1:1';

async function setUp(dependency: Record<string, string>, locked: Record<string, object>) {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-setup-'));
  try {
    await cp(scripts, join(folder, 'scripts'), { recursive: true });
    await mkdir(join(folder, 'local'));
    const put = (name: string, content: object) => writeFile(join(folder, name), JSON.stringify(content));
    const own = { name: 'checkout', version: '1.0.0' };
    await put('local/package.json', { name: 'local', version: '1.0.0' });
    await put('package.json', { ...own, type: 'module', dependencies: dependency });
    await put('package-lock.json', { ...own, lockfileVersion: 3, requires: true, packages: { '': own, ...locked } });
    const env = {
      ...process.env,
      npm_config_registry: nowhere,
      npm_config_fetch_retries: '0',
      npm_config_cache: join(folder, 'cache'),
    };
    const child = spawn(process.execPath, [join(folder, 'scripts', 'setup.mjs')], { env });
    const [[code], told] = await Promise.all([once(child, 'close'), text(child.stderr)]);
    return { code: code as number | null, lines: told.trimEnd().split('\n') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('an outdated lockfile is reported with the missing packages, without the usage of npm', async () => {
  const { code, lines } = await setUp({ local: 'file:./local' }, {});
  expect(code).toBe(1);
  expect(lines.join('\n')).toContain('setup: npm: Missing: local@');
  expect(lines.at(-1)).toMatch(/^setup: package\.json and package-lock\.json do not fit together; .*[^.]\.$/);
  expect(lines.length).toBeLessThan(12);
});

test('an unreachable registry is reported as such', async () => {
  const packed = { version: '1.0.0', resolved: `${nowhere}/thing/-/thing-1.0.0.tgz` };
  const dependency = { thing: '1.0.0' };
  const root = { name: 'checkout', version: '1.0.0', dependencies: dependency };
  const { code, lines } = await setUp(dependency, { '': root, 'node_modules/thing': packed });
  expect(code).toBe(1);
  expect(lines.at(-1)).toMatch(/^setup: the npm registry cannot be reached; .*[^.]\.$/);
  expect(lines.join('\n')).toContain('ECONNREFUSED');
  expect(lines.join('\n')).not.toMatch(/ at ClientRequest|Usage/);
  expect(lines.length).toBeLessThan(8);
});
