// The share dialog, loaded when it is first opened.
import { type ComponentProps, lazy, Suspense } from 'react';

const ShareDialog = lazy(async () => ({ default: (await import('./share-dialog.tsx')).ShareDialog }));

export const LazyShareDialog = (props: ComponentProps<typeof ShareDialog>) => (
  <Suspense fallback={null}>
    <ShareDialog {...props} />
  </Suspense>
);
