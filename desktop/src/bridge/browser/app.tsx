// Entry point of the app in a browser: the bridge of a page that the server itself has served.
import { mountApp } from '../../renderer/app.tsx';
import type { Bridge } from '../bridge.ts';
import { canPick } from '../file-handles.ts';
import { openDownloads } from './downloads.ts';
import { openEvents } from './events.ts';
import { openNotices } from './notices.ts';
import { openPdf } from './pdf.ts';
import { openBrowserSession } from './session.ts';
import { openUploads } from './uploads.ts';
import { openVerify } from './verify.ts';

const bridge = openBrowserBridge(location.origin);
mountApp(bridge);
bridge.session.restore();

/** The bridge of a page that the server itself has served. */
function openBrowserBridge(baseUrl: string): Bridge {
  const session = openBrowserSession(baseUrl);
  const events = openEvents(session);
  const server = { client: session.client, baseUrl, token: session.find };
  return {
    capabilities: {
      keepsTransfersRunning: false,
      wantsHandles: canPick(),
      choosesWhereToSave: false,
    },
    session: { ...session.requests, state: session.state, serverUrl: () => baseUrl },
    call: session.client.call,
    events,
    uploads: openUploads(session, server, events.state),
    downloads: openDownloads(session, server, events.state),
    verify: openVerify(session.client.call),
    openPdf,
    copyText: text => navigator.clipboard.writeText(text),
    notices: openNotices(events),
    shell: null,
  };
}
