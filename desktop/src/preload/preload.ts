// The preload: exposes the wire to the page, and none of Electron's own objects. It runs in the sandbox before the page.
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { cancelChannel, type PushMessage, pushChannel, requestChannel, type Wire, wireName } from '../ipc/wire.ts';

const wire: Wire = {
  request: message => ipcRenderer.invoke(requestChannel, message),
  cancel: call => ipcRenderer.invoke(cancelChannel, call),
  onPush(listener) {
    const receive = (_event: unknown, message: PushMessage) => listener(message);
    ipcRenderer.on(pushChannel, receive);
    return () => void ipcRenderer.off(pushChannel, receive);
  },
  pathOf: file => webUtils.getPathForFile(file) || undefined,
};

contextBridge.exposeInMainWorld(wireName, wire);
