// Small files of one person that go to the server in one call, as the app sends them. A set stays the same set until it has
// its answers: sent again after whatever broke, it stores nothing twice.
import { fileName as fileNameForm } from '../api/files.ts';
import { type BulkResult, mostBulkFiles } from '../api/short-uploads.ts';
import { digestOf } from '../evidence/digest.ts';
import { type BulkFile, fitsIntoBulk, toBulkSets, toRefusal, uploadBulk } from './bulk-upload.ts';
import type { Clock, Http, Server, Source } from './ports.ts';
import type { OnProgress } from './progress.ts';
import { TransferError } from './transfer-error.ts';
import { signalOf } from './upload-run.ts';

const MiB = 1024 * 1024;

/** What breaks while it is sent is sent again as a whole: a set is small enough for that. */
const mostTogether = { files: mostBulkFiles, bytes: 16 * MiB };
const mostFileBytes = MiB;
const hashedAtOnce = 4;

type Looked = { readonly name: string; readonly size: number };

/** In groups of those that go together; what is large, empty or of a strange name is a group of its own. */
export function groupSmall<Item>(items: readonly Item[], look: (item: Item) => Looked): Item[][] {
  const isSmall = (item: Item): boolean => {
    const { name, size } = look(item);
    return size > 0 && size <= mostFileBytes && fileNameForm.safeParse(name).success;
  };
  const sets = toBulkSets(items.filter(isSmall), item => look(item).size, mostTogether);
  return [...sets, ...items.filter(item => !isSmall(item)).map(item => [item])];
}

/** The deepest folder that holds them all. */
export function commonFolder(folders: readonly (string | null)[]): string | null {
  const [first = [], ...others] = folders.map(folder => folder?.split('/') ?? []);
  const end = first.findIndex((part, at) => others.some(parts => parts[at] !== part));
  const common = end < 0 ? first : first.slice(0, end);
  return common.length === 0 ? null : common.join('/');
}

type SetMember = {
  readonly folder: string | null;
  readonly contentType?: string;
  readonly open: () => Promise<Source>;
};

type SetRequest = {
  /** The same for the same set, for ever. */
  readonly id: string;
  readonly members: readonly SetMember[];
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
};

type SetPorts = { readonly server: Server; readonly http: Http; readonly clock?: Clock };
type Stored = Extract<BulkResult, { status: 'STORED' }>;

/** For each member, in their order: what it was stored as, or why it alone was not. */
export async function uploadSet(request: SetRequest, ports: SetPorts): Promise<(Stored | Error)[]> {
  const { id, members, onProgress } = request;
  const looked = await lookAtAll(request);
  const going = looked.flatMap((file, at) => (file instanceof Error ? [] : [{ file, at }]));
  const outcomes: (Stored | Error | undefined)[] = looked.map(file => (file instanceof Error ? file : undefined));
  const files = going.map(({ file }) => file.named);
  const slices = going.flatMap(({ file }) => file.slice ?? []);
  const results =
    files.length === 0
      ? []
      : await uploadBulk(
          {
            requestId: digestOf(new TextEncoder().encode(`${id} ${JSON.stringify(files)}`)).slice('sha256:'.length),
            files,
            read: index => readWhole(members[going[index]?.at ?? -1]),
            ...(slices.length === files.length && { slice: index => slices[index] ?? new Blob() }),
            signal: signalOf(request),
            ...(onProgress && { onProgress }),
          },
          ports,
        );
  for (const [index, result] of results.entries())
    outcomes[going[index]?.at ?? -1] = result.status === 'STORED' ? result : toRefusal(result);
  return outcomes.map(outcome => outcome ?? new Error('the server said nothing about it'));
}

type LookedAt = { readonly named: BulkFile; readonly slice: Blob | undefined };

async function lookAtAll({ members, signal }: SetRequest): Promise<(LookedAt | Error)[]> {
  const looked: (LookedAt | Error)[] = [];
  let next = 0;
  const lane = async () => {
    while (next < members.length && !signal?.aborted) {
      const at = next++;
      const member = members[at];
      if (member) looked[at] = await lookAt(member, signal).catch((error: Error) => error);
    }
  };
  await Promise.all(Array.from({ length: hashedAtOnce }, lane));
  signal?.throwIfAborted();
  return looked;
}

async function lookAt({ open, folder, contentType }: SetMember, signal: AbortSignal | undefined): Promise<LookedAt> {
  await using source = await open();
  if (!fitsIntoBulk(source.size)) throw new TransferError('source-changed', `${source.name} has another size by now`);
  const named = {
    fileName: source.name,
    fileSize: source.size,
    contentHash: await source.digest(0, source.size, signal),
    ...(contentType !== undefined && { contentType }),
    ...(folder !== null && { path: folder }),
  };
  return { named, slice: source.slice?.(0, source.size) };
}

async function* readWhole(member: SetMember | undefined): AsyncIterable<Uint8Array> {
  if (!member) return;
  await using source = await member.open();
  yield* source.read(0, source.size);
}
