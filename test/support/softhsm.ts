// SoftHSM2: a hardware module in software, with real tokens in a folder. One folder for each process of tests, because
// the library reads its settings once.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TokenKeyInput } from './children/make-token-key.ts';
import { testWith } from './programs.ts';

export const softHsmModule = '/usr/lib/softhsm/libsofthsm2.so';
export const tokenPin = '4711-0815';
const addon = fileURLToPath(new URL('../../node_modules/pkcs11js/build/Release/pkcs11.node', import.meta.url));

/** Whether module, its tool and the package that loads modules are installed. */
export const testWithSoftHsm = testWith('softhsm2-util', softHsmModule, addon);

type KeyRights = Pick<TokenKeyInput, 'extractable' | 'encrypts'>;

export type SoftHsm = Disposable & {
  addKey(key: Omit<TokenKeyInput, 'module' | 'pin' | keyof KeyRights> & Partial<KeyRights>): void;
};

/** All tokens at once: the library does not see later ones. */
export function openSoftHsm(...tokens: readonly string[]): SoftHsm {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-hsm-'));
  mkdirSync(join(folder, 'tokens'));
  const settings = join(folder, 'softhsm2.conf');
  const lines = [`directories.tokendir = ${join(folder, 'tokens')}`, 'objectstore.backend = file', 'log.level = ERROR'];
  writeFileSync(settings, `${lines.join('\n')}\n`);
  process.env.SOFTHSM2_CONF = settings;
  for (const token of tokens) {
    const pins = ['--so-pin', '12345678', '--pin', tokenPin];
    execFileSync('softhsm2-util', ['--init-token', '--free', '--label', token, ...pins], { stdio: 'pipe' });
  }
  const program = fileURLToPath(new URL('./children/make-token-key.ts', import.meta.url));
  return {
    addKey: ({ extractable = false, encrypts = true, ...key }) => {
      const input: TokenKeyInput = { ...key, module: softHsmModule, pin: tokenPin, extractable, encrypts };
      execFileSync(process.execPath, [program, JSON.stringify(input)], { stdio: 'pipe' });
    },
    [Symbol.dispose]: () => {
      delete process.env.SOFTHSM2_CONF;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
