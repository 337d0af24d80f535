// Passphrases of backups: from a file, from the settings, or from the terminal.
import { readFile, stat } from 'node:fs/promises';
import type { Config } from '../../config/config.ts';
import { rejectPassphrase } from '../../config/settings/backing-services.ts';
import { errnoOf } from '../../platform/durable-files.ts';
import { UsageError } from '../outcome.ts';
import { readKnownSecret, readNewSecret } from '../secret.ts';

const largestFile = 8192;

/** `from`: the source, for messages. */
type Passphrase = { readonly from: string; readonly text: string };
export type Passphrases = readonly [Passphrase, ...Passphrase[]];

type PassphraseOptions = { readonly file: string | undefined; readonly config: Pick<Config, 'backup'> };

function checked(passphrase: string): string {
  const rejection = rejectPassphrase(passphrase);
  if (rejection !== null) throw new UsageError(`the passphrase ${rejection}.`);
  return passphrase;
}

export async function readNewPassphrase(options: PassphraseOptions): Promise<string> {
  return (
    (await readConfigured(options)) ??
    readNewSecret(checked, { what: 'passphrase', question: 'Passphrase of the backup: ' })
  );
}

/** The passphrases of all files and of the settings; without any, prompts for one. */
export async function readPassphrases(
  files: readonly string[],
  config: PassphraseOptions['config'],
): Promise<Passphrases> {
  const passphrases: Passphrase[] = [];
  for (const file of files) passphrases.push({ from: file, text: await readPassphraseFile(file) });
  const set = config.backup.passphrase?.reveal();
  if (set !== undefined) passphrases.push({ from: 'RECORDPROOF_BACKUP_PASSPHRASE', text: set });
  const [first, ...others] = passphrases;
  if (first !== undefined) return [first, ...others];
  return [{ from: 'what was typed', text: checked(await readKnownSecret('Passphrase of the backup: ')) }];
}

export const toTexts = ([first, ...others]: Passphrases): [string, ...string[]] => [
  first.text,
  ...others.map(({ text }) => text),
];

async function readConfigured({ file, config }: PassphraseOptions): Promise<string | undefined> {
  return file === undefined ? config.backup.passphrase?.reveal() : readPassphraseFile(file);
}

async function readPassphraseFile(file: string): Promise<string> {
  const found = await stat(file).catch(error => {
    throw errnoOf(error) === 'ENOENT' ? new UsageError(`there is no file ${file}.`) : error;
  });
  if (found.isDirectory()) throw new UsageError(`${file} is a folder; name the file with the passphrase.`);
  if (found.size > largestFile) throw new UsageError(`the file ${file} contains more than a passphrase.`);
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    throw new UsageError(`the file ${file} can be read by others; run: chmod 600 ${file}`);
  return checked((await readFile(file, 'utf8')).replace(/\r?\n$/, ''));
}
