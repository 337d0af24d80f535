// File system handles, which some browsers give besides a File: they can be stored, and opened again with permission.
type Permission = (wish: { readonly mode: 'read' }) => Promise<PermissionState>;
type Asked = FileSystemHandle & { readonly queryPermission?: Permission; readonly requestPermission?: Permission };

type Pickers = {
  readonly showOpenFilePicker?: (wish: { readonly multiple: boolean }) => Promise<FileSystemFileHandle[]>;
  readonly showDirectoryPicker?: () => Promise<FileSystemDirectoryHandle>;
};

const pickers = (): Pickers => globalThis as Pickers;

export const canPick = (): boolean =>
  pickers().showOpenFilePicker !== undefined && pickers().showDirectoryPicker !== undefined;

/** Nothing where the person thinks better of it. */
async function unlessGivenUp<T>(picked: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await picked;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  }
}

export const pickFiles = async (many: boolean): Promise<FileSystemFileHandle[]> =>
  (await unlessGivenUp(pickers().showOpenFilePicker?.({ multiple: many }))) ?? [];

export const pickFolder = (): Promise<FileSystemDirectoryHandle | undefined> =>
  unlessGivenUp(pickers().showDirectoryPicker?.());

/** What was dropped, where the browser gives a handle for it. */
export async function handleOf(item: DataTransferItem): Promise<FileSystemHandle | null> {
  const given = item as DataTransferItem & { readonly getAsFileSystemHandle?: () => Promise<FileSystemHandle | null> };
  return (await given.getAsFileSystemHandle?.().catch(() => null)) ?? null;
}

/** Whether it may be read; with `ask` the person is asked, which takes that they have just pressed something. */
export async function mayRead(handle: FileSystemHandle, how: 'query' | 'ask'): Promise<boolean> {
  const asked: Asked = handle;
  const state = await asked.queryPermission?.({ mode: 'read' }).catch(() => 'denied');
  if (state !== 'prompt' || how === 'query') return state === 'granted';
  return (await asked.requestPermission?.({ mode: 'read' }).catch(() => 'denied')) === 'granted';
}
