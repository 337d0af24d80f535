// Upload sets: small files of one person sent in one call by the app. A set keeps its id until it has its answers:
// repeating it after a failure stores nothing twice.
import { fileName as fileNameForm } from '../api/files.ts';
import { type BulkResult, mostBulkFiles } from '../api/short-uploads.ts';
import { digestOf } from '../evidence/digest.ts';
import { type BulkFile, fitsIntoBulk, toBulkSets, toRejection, uploadBulk } from './bulk-upload.ts';
import type { Clock, Http, Server, Source } from './ports.ts';
import type { OnProgress } from './progress.ts';
import { TransferError } from './transfer-error.ts';
import { signalOf } from './upload-attempt.ts';

const MiB = 1024 * 1024;

/** After a failure a set is repeated as a whole, so it is small. */
const mostTogether = { files: mostBulkFiles, bytes: 16 * MiB };
const mostFileBytes = MiB;
const hashedAtOnce = 4;

type NamedSize = { readonly name: string; readonly size: number };

/** In groups that share a call; a large or empty file, or one with an unusual name, is a group of its own. */
export function groupSmall<Item>(items: readonly Item[], measure: (item: Item) => NamedSize): Item[][] {
  const isSmall = (item: Item): boolean => {
    const { name, size } = measure(item);
    return size > 0 && size <= mostFileBytes && fileNameForm.safeParse(name).success;
  };
  const sets = toBulkSets(items.filter(isSmall), item => measure(item).size, mostTogether);
  return [...sets, ...items.filter(item => !isSmall(item)).map(item => [item])];
}

type SetMember = {
  readonly folder: string | null;
  readonly contentType?: string;
  readonly open: () => Promise<Source>;
};

type SetRequest = {
  /** Permanent for a set. */
  readonly id: string;
  readonly members: readonly SetMember[];
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
};

type SetPorts = { readonly server: Server; readonly http: Http; readonly clock?: Clock };
type Stored = Extract<BulkResult, { status: 'STORED' }>;

/** For each member, in order: the stored file, or why it alone failed. */
export async function uploadSet(request: SetRequest, ports: SetPorts): Promise<(Stored | Error)[]> {
  const { id, members, onProgress } = request;
  const sizes = await readAll(request);
  const going = sizes.flatMap((file, at) => (file instanceof Error ? [] : [{ file, at }]));
  const outcomes: (Stored | Error | undefined)[] = sizes.map(file => (file instanceof Error ? file : undefined));
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
    outcomes[going[index]?.at ?? -1] = result.status === 'STORED' ? result : toRejection(result);
  return outcomes.map(
    (outcome, at) => outcome ?? new Error(`the server did not report file ${at + 1}: upload it again`),
  );
}

type ReadFile = { readonly named: BulkFile; readonly slice: Blob | undefined };

async function readAll({ members, signal }: SetRequest): Promise<(ReadFile | Error)[]> {
  const sizes: (ReadFile | Error)[] = [];
  let next = 0;
  const lane = async () => {
    while (next < members.length && !signal?.aborted) {
      const at = next++;
      const member = members[at];
      if (member) sizes[at] = await readOne(member, signal).catch((error: Error) => error);
    }
  };
  await Promise.all(Array.from({ length: hashedAtOnce }, lane));
  signal?.throwIfAborted();
  return sizes;
}

async function readOne({ open, folder, contentType }: SetMember, signal: AbortSignal | undefined): Promise<ReadFile> {
  await using source = await open();
  if (!fitsIntoBulk(source.size))
    throw new TransferError('source-changed', `${source.name} has changed its size since it was chosen`);
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
