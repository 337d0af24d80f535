// Styles of the tray of transfers: a bar below the screen that overlaps no content.
import { addStyles } from '../../styles.ts';

addStyles(`
.tray { flex: none; background: var(--surface); border-top: 1px solid var(--line); }
.tray-bar { display: grid; grid-template-columns: minmax(0, 1fr) auto; align-items: center; gap: 0 1rem; padding: 0.35rem 1.5rem; }
.tray-bar > button { justify-content: start; min-width: 0; min-height: 44px; }
.tray-bar .actions button, .tray-bar .actions a { display: inline-flex; align-items: center; justify-content: center; min-height: 44px; min-width: 44px; }
.tray-bar .wide { grid-column: 1 / -1; }
#tray-list { max-height: 40vh; overflow-y: auto; padding: 0 1.5rem 0.75rem; }
#tray-list > p { padding-top: 0.6rem; }
@media (max-width: 46rem) { .tray-bar, #tray-list { padding-inline: 0.75rem; } }
@media print { .tray { display: none; } }
`);
