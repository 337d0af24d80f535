// The command `drop send`: sends files through a drop link, without an account, and saves their receipts.
import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { string as argument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { dropCodePattern } from '@recordproof/shared/api/drop-links.ts';
import { type DropInfo, getDropInfo } from '@recordproof/shared/api/drop-senders.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { dropReceiptSuffix, type ReadDropReceipt, readDropReceipt } from '@recordproof/shared/evidence/drop-receipt.ts';
import { numberedName } from '@recordproof/shared/file-path.ts';
import { writeDurably } from '@recordproof/shared/node/durable-file.ts';
import {
  type DropPorts,
  type DropSender,
  enterDrop,
  openDropSender,
} from '@recordproof/shared/transfer/drop-upload.ts';
import { hashFile } from '../files/hash-file.ts';
import { many } from '../platform/arguments.ts';
import { command } from '../platform/command.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { stateFolder } from '../platform/folders.ts';
import { listenForInterrupts } from '../platform/interrupts.ts';
import { printable } from '../platform/output.ts';
import { ensureFolder, writePrivate } from '../platform/private-file.ts';
import { readSecretFromStdin } from '../platform/prompter.ts';
import { outcomeOf, reportEach } from '../platform/report.ts';
import { collectFiles, writeLeftOut } from '../uploads/collect-files.ts';

type Link = { readonly code: string; readonly server: string | undefined };

function parseLink(text: string): Link {
  const [, server, code = text] = /^(https?:\/\/[^?#]+?)\/d\/([^/?#]*)\/?$/i.exec(text.trim()) ?? [];
  if (dropCodePattern.test(code)) return { code, server };
  throw new CommandError('usage', 'the argument is neither a drop link nor its code of 22 letters and digits', {
    try: 'copy the whole link, or its last part',
  });
}

type SendFlags = { readonly field?: readonly string[] | undefined; readonly 'password-stdin': boolean };

async function askFields(
  context: CommandContext,
  { fields }: DropInfo,
  flags: SendFlags,
): Promise<Record<string, string>> {
  const values = new Map(
    (flags.field ?? []).map(text => {
      const at = text.indexOf('=');
      if (at < 1)
        throw new CommandError('usage', `--field "${printable(text)}" is not a label, = and a value`, {
          try: '--field "Name=Li Lei"',
        });
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()] as const;
    }),
  );
  for (const { label, required } of fields) {
    if (values.has(label) || !required) continue;
    const answer = await context.prompter.ask(printable(label), `give it with --field "${printable(label)}=…"`);
    values.set(label, answer.trim());
  }
  return Object.fromEntries(values);
}

/** The sender of an earlier run of this command, so that interrupted uploads continue. */
async function openSender(context: CommandContext, ports: DropPorts, flags: SendFlags): Promise<DropSender> {
  const folder = join(stateFolder(), 'drops');
  const path = join(folder, `${createHash('sha256').update(`${ports.baseUrl} ${ports.code}`).digest('hex')}`);
  const savedToken = flags.field === undefined ? await readFile(path, 'utf8').catch(() => undefined) : undefined;
  if (savedToken !== undefined) {
    const sender = openDropSender(ports, savedToken.trim());
    const isKnown = await sender.list().then(
      () => true,
      error => {
        if (error instanceof ApiError && error.kind === 'UNAUTHORIZED') return false;
        throw error;
      },
    );
    if (isKnown) return sender;
  }
  const info = await (await context.anonymous()).call(getDropInfo, { params: { code: ports.code } });
  const fields = await askFields(context, info, flags);
  const token = await enterDrop(ports, { fields, password: await askPassword(context, info, flags) });
  await ensureFolder(folder);
  await writePrivate(path, `${token}\n`);
  return openDropSender(ports, token);
}

async function askPassword(context: CommandContext, info: DropInfo, flags: SendFlags): Promise<string | undefined> {
  if (!info.hasPassword) return undefined;
  if (flags['password-stdin']) return readSecretFromStdin();
  return context.prompter.askHidden('Password of the drop link', 'pipe it in with --password-stdin');
}

/** The server rejects other bytes than those of this hash. */
async function toFile(path: string, folder: string | undefined, signal: AbortSignal) {
  const { size, mtimeMs } = await stat(path);
  const blob = await openAsBlob(path); // it cannot be read once the file was changed
  const contentHash = `sha256:${await hashFile(path, signal)}`;
  const name = basename(path).normalize('NFC');
  const key = createHash('sha256')
    .update([folder ?? '', name, size, mtimeMs].join('\0'))
    .digest('hex');
  return { key, name, path: folder, type: '', blob, contentHash };
}

/** A receipt of other bytes proves nothing about the file: an earlier run may have sent another content of its name. */
function assertSame(path: string, contentHash: string, { statement }: ReadDropReceipt): void {
  const recorded = statement.file.contentHash;
  if (recorded === contentHash) return;
  throw new CommandError('damaged', `the server has recorded other bytes than ${path} has now: ${recorded}`, {
    try: 'send it under another name',
  });
}

function readReceipt(path: string, bytes: Uint8Array): ReadDropReceipt {
  try {
    return readDropReceipt(bytes);
  } catch (cause) {
    throw new CommandError('damaged', `the server sent a malformed receipt of ${path}`, { cause });
  }
}

/** Never replaces another file; the same receipt is not saved twice. */
async function saveReceipt(folder: string, name: string, statement: string, receipt: Uint8Array): Promise<string> {
  const fileName = `${name}${dropReceiptSuffix}`;
  for (let number = 1; ; number += 1) {
    const path = join(folder, number === 1 ? fileName : numberedName(fileName, number));
    const there = await readFile(path, 'utf8').catch(() => undefined);
    if (there?.includes(JSON.stringify(statement))) return path;
    if (there !== undefined) continue;
    await writeDurably(path, receipt, { mode: 0o666, isNew: true });
    return path;
  }
}

export const send = command({
  summary: 'Send files through a drop link and save their receipts',
  description:
    'Needs no account. Run the same command again to continue an interrupted upload. Each receipt is saved as <file>.receipt.json: keep it with the file, "recordproof-verify receipt" checks it without the server.',
  examples: [
    { command: 'drop send https://proof.example.org/d/7gK2mQ9xTb4R7gK2mQ9xTb report.pdf', description: 'One file' },
    { command: 'drop send <link> photos --field "Name=Li Lei"', description: 'A folder, with a field filled in' },
  ],
  args: {
    link: argument({ required: true, description: 'The drop link, or its code.' }),
    files: many({ required: true, description: 'Files, folders or patterns.' }),
  },
  flags: {
    field: string({
      multiple: true,
      helpValue: '<label>=<value>',
      summary: 'What the link asks for; otherwise it is asked. Repeatable.',
    }),
    receipts: string({ helpValue: '<folder>', default: '.', summary: 'Where receipts are saved.' }),
    'password-stdin': boolean({ summary: 'Read the password of the link from a pipe.' }),
  },
  async run({ flags, args, context: here }) {
    const { code, server } = parseLink(args.link);
    const context = server === undefined ? here : here.at(server);
    const { paths, folders, leftOut } = await collectFiles(args.files);
    writeLeftOut(leftOut);
    await mkdir(flags.receipts, { recursive: true });
    const baseUrl = (await context.settings()).server.value;
    const network = await context.network();
    const ports = { baseUrl, code, fetch: network.fetch, onWait: context.waits.tell };
    const sender = await openSender(context, ports, flags);
    using interrupts = listenForInterrupts('run the same command again to continue');
    return reportEach(
      paths,
      path => path,
      'recordproof drop send',
      async path => {
        const file = await toFile(path, folders.get(path), interrupts.signal);
        const sent = await sender.send(file, { signal: interrupts.signal });
        const bytes = new Uint8Array(await (await sender.receipt(sent.id)).arrayBuffer());
        const read = readReceipt(printable(path), bytes);
        assertSame(printable(path), file.contentHash, read);
        const receipt = await saveReceipt(flags.receipts, file.name, read.receipt.statement, bytes);
        const { fileHash } = sent;
        return { name: path, status: 'sent' as const, fileHash, contentHash: file.contentHash, receipt };
      },
      { show: ({ name, receipt }) => context.print(() => `${printable(name)}: receipt ${printable(receipt)}`) },
    );
  },
  ...outcomeOf('sent'),
});
