// Stand-in for Electron in a page before its own scripts run: the `require` of a sandboxed preload.

export const invokeBinding = 'standInInvoke';
export const hearBinding = 'standInHear';

/** Runs in the page. It uses only its arguments and globals of the page. */
function preparePage(names: { invoke: string; hear: string }, folder: string): (name: string) => object {
  const page: Record<string, unknown> & object = Object(window);
  const encode = (value: unknown) =>
    JSON.stringify({ value }, (_key, one: unknown) =>
      one instanceof Uint8Array ? { $bytes: btoa(Array.from(one, byte => String.fromCharCode(byte)).join('')) } : one,
    );
  const decode = (text: string) =>
    JSON.parse(text, (_key, one) =>
      one?.$bytes === undefined ? one : Uint8Array.from(atob(one.$bytes), letter => letter.charCodeAt(0)),
    ).value;
  const ears = new Map<string, Set<(event: object, value: unknown) => void>>();
  const invoke = page[names.invoke] as (channel: string, input: string) => Promise<string>;
  Object.defineProperty(page, names.hear, {
    value: (channel: string, text: string) => {
      for (const ear of ears.get(channel) ?? []) ear({}, decode(text));
    },
  });
  const electron = {
    contextBridge: {
      exposeInMainWorld: (name: string, api: object) =>
        Object.defineProperty(page, name, { value: Object.freeze(api), enumerable: true }),
    },
    ipcRenderer: {
      invoke: async (channel: string, input: unknown) => decode(await invoke(channel, encode(input))),
      on: (channel: string, ear: (event: object, value: unknown) => void) =>
        ears.set(channel, (ears.get(channel) ?? new Set()).add(ear)),
      off: (channel: string, ear: (event: object, value: unknown) => void) => ears.get(channel)?.delete(ear),
    },
    // A page cannot see the path of a file: here all files are in one folder.
    webUtils: { getPathForFile: (file: File) => `${folder}/${file.webkitRelativePath || file.name}` },
  };
  return name => {
    if (name === 'electron') return electron;
    throw new Error(`a sandboxed preload cannot have ${name}`);
  };
}

/** The preload is part of the script itself: the page's policy forbids evaluating text. */
export function toInitScript(preload: string, folder: string): string {
  const names = JSON.stringify({ invoke: invokeBinding, hear: hearBinding });
  const prepared = `(${preparePage.toString()})(${names}, ${JSON.stringify(folder)})`;
  return `(function (require, module, exports) { ${preload}\n})(${prepared}, { exports: {} }, {});`;
}
