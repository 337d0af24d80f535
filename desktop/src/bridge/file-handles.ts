// File system handles, which some browsers provide in addition to a File: they can be stored, and opened again with
// permission.
type Permission = (options: { readonly mode: 'read' }) => Promise<PermissionState>;
type HandleWithPermissions = FileSystemHandle & {
  readonly queryPermission?: Permission;
  readonly requestPermission?: Permission;
};

type Pickers = {
  readonly showOpenFilePicker?: (options: { readonly multiple: boolean }) => Promise<FileSystemFileHandle[]>;
  readonly showDirectoryPicker?: () => Promise<FileSystemDirectoryHandle>;
};

const pickers = (): Pickers => globalThis as Pickers;

export const canPick = (): boolean =>
  pickers().showOpenFilePicker !== undefined && pickers().showDirectoryPicker !== undefined;

/** Undefined when the person cancels. */
async function unlessCancelled<T>(picked: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await picked;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  }
}

export const pickFiles = async (many: boolean): Promise<FileSystemFileHandle[]> =>
  (await unlessCancelled(pickers().showOpenFilePicker?.({ multiple: many }))) ?? [];

export const pickFolder = (): Promise<FileSystemDirectoryHandle | undefined> =>
  unlessCancelled(pickers().showDirectoryPicker?.());

/** Handle of a dropped item, where the browser has one. */
export async function handleOf(item: DataTransferItem): Promise<FileSystemHandle | null> {
  const withHandle = item as DataTransferItem & {
    readonly getAsFileSystemHandle?: () => Promise<FileSystemHandle | null>;
  };
  return (await withHandle.getAsFileSystemHandle?.().catch(() => null)) ?? null;
}

/** Whether it may be read. `ask` asks the person, and needs a user gesture. */
export async function mayRead(handle: FileSystemHandle, how: 'query' | 'ask'): Promise<boolean> {
  const queryable: HandleWithPermissions = handle;
  const state = await queryable.queryPermission?.({ mode: 'read' }).catch(() => 'denied');
  if (state !== 'prompt' || how === 'query') return state === 'granted';
  return (await queryable.requestPermission?.({ mode: 'read' }).catch(() => 'denied')) === 'granted';
}
