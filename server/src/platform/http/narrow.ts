// Folder limit of callers: everything a request names must be in the caller's folder. The contract says which fields
// name files, uploads and folders; they are checked before the handler runs.
import type { AnyEndpoint, FolderScope, InputField } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Actor, Caller } from './caller.ts';

/** Objects that a request names. */
export type Named = {
  readonly folder?: string | undefined;
  readonly otherFolders?: readonly string[];
  /** Ids or hashes. */
  readonly files?: readonly string[];
  /** Client ids. */
  readonly uploads?: readonly string[];
};

/** Folders of the owner's files and uploads by the given ids; null at the top level. Unknown ids are absent. */
export type FindFolders = (
  owner: Pick<Actor, 'tenantId' | 'userId'>,
  named: { readonly files: readonly string[]; readonly uploads: readonly string[] },
) => Promise<{
  readonly files: ReadonlyMap<string, string | null>;
  readonly uploads: ReadonlyMap<string, string | null>;
}>;

export const isWithin = (folder: string, path: string | null): boolean =>
  path !== null && (path === folder || path.startsWith(`${folder}/`));

/** The folder of the request: the named one or, for a limited caller who names none, the caller's. */
export function narrow(find: FindFolders, caller: Caller, named: Named): Awaitable<string | undefined> {
  const limit = caller.kind === 'user' ? caller.actor.apiToken?.folder : undefined;
  if (caller.kind !== 'user' || limit == null) return named.folder;
  const { files = [], uploads = [], otherFolders = [] } = named;
  const folders = named.folder === undefined ? otherFolders : [named.folder, ...otherFolders];
  if (folders.some(path => !isWithin(limit, path)))
    throw new ApiError('FORBIDDEN', `this API token is limited to the folder "${limit}"`);
  const folder = named.folder ?? (otherFolders.length > 0 ? undefined : limit);
  if (files.length === 0 && uploads.length === 0) return folder;
  return checkNamed(find, caller.actor, limit, { files, uploads }).then(() => folder);
}

/** Objects in other folders are reported as missing. */
async function checkNamed(
  find: FindFolders,
  owner: Actor,
  limit: string,
  { files, uploads }: Required<Pick<Named, 'files' | 'uploads'>>,
): Promise<void> {
  const found = await find(owner, { files, uploads });
  if (files.some(file => !isWithin(limit, found.files.get(file) ?? null)))
    throw new ApiError('FILE_NOT_EXIST', `there is no such file in "${limit}", the folder of this API token`);
  const isElsewhere = (upload: string): boolean =>
    found.uploads.has(upload) && !isWithin(limit, found.uploads.get(upload) ?? null);
  if (uploads.some(isElsewhere)) throw new ApiError('UPLOAD_SESSION_NOT_FOUND');
}

type Input = Readonly<Record<'params' | 'query' | 'body', unknown>>;
type Fields = Record<string, unknown>;

function read(input: Input, field: InputField): unknown {
  const [part, name] = split(field);
  return (input[part] as Fields | undefined)?.[name];
}

const split = (field: InputField): [keyof Input, string] => {
  const at = field.indexOf('.');
  return [field.slice(0, at) as keyof Input, field.slice(at + 1)];
};

const toTexts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string');

export function toNamed(scope: FolderScope, input: Input): Named {
  return {
    folder: scope.folder && (read(input, scope.folder) as string | undefined),
    otherFolders: (scope.otherFolders ?? []).flatMap(field => toTexts(read(input, field))),
    files: (scope.files ?? []).flatMap(field => toTexts(read(input, field))),
    uploads: scope.upload === undefined ? [] : toTexts(read(input, scope.upload)),
  };
}

/** Adds the folder if a limited caller named none. */
export function withFolder({ folderScope }: AnyEndpoint, input: Input, folder: string | undefined): Input {
  const field = folderScope?.folder;
  if (field === undefined || folder === undefined || read(input, field) !== undefined) return input;
  const [part, name] = split(field);
  return { ...input, [part]: { ...(input[part] as Fields | undefined), [name]: folder } };
}
