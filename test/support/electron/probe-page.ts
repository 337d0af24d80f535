// A page with nothing but the bridge, for tests of the layers below the interface.
import '../../../desktop/src/bridge/desktop/disable-zod-jit.ts';
import type { Bridge, DeepLink } from '../../../desktop/src/bridge/bridge.ts';
import { openDesktopBridge } from '../../../desktop/src/bridge/desktop/bridge.ts';
import * as files from '../../../shared/src/api/files.ts';

declare global {
  interface Window {
    bridge: Bridge;
    links: DeepLink[];
    findFiles(): Promise<readonly string[]>;
  }
}

const verify: Bridge['verify'] = () => Promise.reject(new Error('not on this page'));
window.links = [];
const bridge = await openDesktopBridge(window.recordproofWire, () => verify);
bridge.shell?.onLink(link => void window.links.push(link));
window.findFiles = async () => {
  const { records } = await bridge.call(files.listFiles, { query: { page: 1, size: 50 } });
  return records.map(({ fileName }) => fileName);
};
window.bridge = bridge;
document.title = 'ready';
