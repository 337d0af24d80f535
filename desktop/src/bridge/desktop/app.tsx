// Entry point of the app in the desktop window.
import './disable-zod-jit.ts';
import type { Wire } from '../../ipc/wire.ts';
import { mountApp } from '../../renderer/app.tsx';
import { openVerify } from '../browser/verify.ts';
import { openDesktopBridge } from './bridge.ts';

declare global {
  interface Window {
    /** From the preload (ipc/wire.ts has the name). */
    readonly recordproofWire: Wire;
  }
}

mountApp(await openDesktopBridge(window.recordproofWire, openVerify));
