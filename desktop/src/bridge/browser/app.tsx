// Entry point of the app in a browser: the bridge of a page that the server itself has served.
import { createStream } from '@recordproof/shared/api/previews.ts';
import { mountApp } from '../../renderer/app.tsx';
import type { Bridge } from '../bridge.ts';
import { canPick } from '../file-handles.ts';
import { Thumbnails } from '../thumbnails.ts';
import { watchPerson } from '../watched.ts';
import { openDownloads } from './downloads.ts';
import { openEvents } from './events.ts';
import { openThumbnailMaker } from './make-thumbnails.ts';
import { openNotices } from './notices.ts';
import { openBrowserSession } from './session.ts';
import { earlyFetch } from './start.ts';
import { openUploads } from './uploads.ts';
import { openVerify } from './verify.ts';
import { openPdf } from './workers.ts';

const bridge = openBrowserBridge(location.origin);
mountApp(bridge);
/** Loaded in parallel with the first rows, which do not need it. */
const install = import('./install.ts');
install
  .then(({ installApp }) => {
    installApp(bridge.session.state);
    return import('./transfer-work.ts'); // preloaded, because the network may be unavailable later
  })
  .catch(() => undefined);
bridge.session.restore();

/** The bridge of a page that the server itself has served. */
function openBrowserBridge(baseUrl: string): Bridge {
  const session = openBrowserSession(baseUrl, earlyFetch);
  const events = openEvents(session);
  const thumbnails = new Thumbnails({ call: session.client.call, openMaker: openThumbnailMaker });
  watchPerson(session.state, () => thumbnails.clear());
  const server = { client: session.client, baseUrl, token: session.find };
  const downloads = openDownloads(session, server, events.state);
  return {
    capabilities: {
      keepsTransfersRunning: false,
      wantsHandles: canPick(),
      choosesWhereToSave: false,
    },
    session: { ...session.requests, state: session.state, serverUrl: () => baseUrl },
    call: session.client.call,
    events,
    uploads: openUploads({ session, server, thumbnails }, events.state),
    downloads,
    verify: openVerify(session.client.call, { isOrigin: true }),
    openPdf,
    thumbnails,
    openMedia: async (file, signal) => {
      if (file.source.kind !== 'file') return (await import('../whole-media.ts')).openWhole(downloads, file, signal);
      const params = { hash: file.source.fileHash };
      return { url: (await session.client.call(createStream, { params, signal })).path };
    },
    copyText: text => navigator.clipboard.writeText(text),
    notices: openNotices(events),
    sharedFiles: {
      read: async () => (await install).sharedFiles.read(),
      forget: async () => (await install).sharedFiles.forget(),
    },
    shell: null,
  };
}
