// The passphrase of backups: from a file, from the settings, or from whoever sits at the terminal.
import { readFile, stat } from 'node:fs/promises';
import type { Config } from '../../config/config.ts';
import { refusePassphrase } from '../../config/passphrase.ts';
import { UsageError } from '../exit.ts';
import { readKnownSecret, readNewSecret } from '../secret.ts';

const largestFile = 8192;

type Given = { readonly file: string | undefined; readonly config: Pick<Config, 'backup'> };

function checked(passphrase: string): string {
  const refusal = refusePassphrase(passphrase);
  if (refusal !== null) throw new UsageError(`the passphrase ${refusal}.`);
  return passphrase;
}

export async function readNewPassphrase(given: Given): Promise<string> {
  return (
    (await findGiven(given)) ?? readNewSecret(checked, { what: 'passphrase', question: 'Passphrase of the backup: ' })
  );
}

export async function readPassphrase(given: Given): Promise<string> {
  return (await findGiven(given)) ?? checked(await readKnownSecret('Passphrase of the backup: '));
}

async function findGiven({ file, config }: Given): Promise<string | undefined> {
  if (file === undefined) return config.backup.passphrase?.reveal();
  const { size, mode } = await stat(file);
  if (size > largestFile) throw new UsageError(`the file ${file} holds more than a passphrase.`);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new UsageError(`the file ${file} can be read by others; run: chmod 600 ${file}`);
  return checked((await readFile(file, 'utf8')).replace(/\r?\n$/, ''));
}
