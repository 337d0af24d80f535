// Step-up: a call that is rejected for lack of a fresh factor opens a dialog for one, and is repeated once it was
// given.
import type { Client } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { BridgeContext, useBridge } from '../../context.ts';
import { lazyPart } from '../../ui/lazy.tsx';
import type { StepUpRequest } from './step-up-dialog.tsx';

const StepUpDialog = lazyPart(async () => (await import('./step-up-dialog.tsx')).StepUpDialog);

const factorsOf = ({ detail }: ApiError): string[] =>
  Array.isArray(detail?.factors) ? detail.factors.filter(one => typeof one === 'string') : ['password'];

/** `ask` resolves once a factor was given, and rejects where the person cancels. */
const withStepUp = (call: Client['call'], ask: (rejected: ApiError) => Promise<void>): Client['call'] =>
  (async (...input: Parameters<Client['call']>) => {
    try {
      return await call(...input);
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'STEP_UP_REQUIRED') throw error;
      await ask(error);
      return call(...input);
    }
  }) as Client['call'];

export function StepUp({ children }: { readonly children: ReactNode }) {
  const bridge = useBridge();
  const [request, setRequest] = useState<StepUpRequest | null>(null);
  const asking = useRef<Promise<void>>(undefined);
  const wrapped = useMemo(() => {
    const open = (rejected: ApiError) =>
      new Promise<void>((resolve, reject) =>
        setRequest({ factors: factorsOf(rejected), complete: resolve, cancel: () => reject(rejected) }),
      ).finally(() => {
        asking.current = undefined;
        setRequest(null);
      });
    const ask = (rejected: ApiError): Promise<void> => {
      asking.current ??= open(rejected);
      return asking.current;
    };
    return { ...bridge, call: withStepUp(bridge.call, ask) };
  }, [bridge]);
  return (
    <BridgeContext value={wrapped}>
      {children}
      {request && <StepUpDialog request={request} call={bridge.call} />}
    </BridgeContext>
  );
}
