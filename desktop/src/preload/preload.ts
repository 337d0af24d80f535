// Runs in the sandbox before the page: hands the wire over, with the names of the table and no other, and nothing of
// Electron's own objects.
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { pushChannel, pushNames, requestChannel, requestNames } from '../ipc/names.ts';
import { type Wire, wireName } from '../ipc/wire.ts';

const wire: Wire = {
  async ask(name, input) {
    if (!requestNames.includes(name)) throw new Error('there is no such request');
    return ipcRenderer.invoke(requestChannel(name), input);
  },
  hear(name, hear) {
    if (!pushNames.includes(name)) throw new Error('there is no such message');
    const listener = (_event: unknown, value: unknown) => hear(value);
    ipcRenderer.on(pushChannel(name), listener);
    return () => void ipcRenderer.off(pushChannel(name), listener);
  },
  pathOf: file => webUtils.getPathForFile(file) || undefined,
};

contextBridge.exposeInMainWorld(wireName, wire);
