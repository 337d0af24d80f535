import { mountApp } from '../../renderer/app.tsx';
import { openBrowserBridge } from './open-bridge.ts';

const bridge = openBrowserBridge(location.origin);
mountApp(bridge);
bridge.session.restore();
