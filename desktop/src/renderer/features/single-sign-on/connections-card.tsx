// Account screen: providers that are connected with the account, and buttons to connect others.
import { appHeader } from '@recordproof/shared/api/auth.ts';
import {
  type Connection,
  connectProvider,
  listConnections,
  removeConnection,
} from '@recordproof/shared/api/single-sign-on.ts';
import { signOnWords } from '@recordproof/shared/words/app-sign-on.ts';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { SignInProblemNote, useProviders } from './provider-buttons.tsx';

export function ConnectionsCard() {
  const { call } = useBridge();
  const { providers } = useProviders();
  const { state, reload } = useLoad('connections', signal => call(listConnections, { signal }));
  const connections = state.kind === 'ready' ? state.value : [];
  if (providers.length === 0 && connections.length === 0) return null;
  return <Connections connections={connections} providers={providers} reload={reload} />;
}

type Shown = {
  readonly connections: readonly Connection[];
  readonly providers: ReturnType<typeof useProviders>['providers'];
  readonly reload: () => void;
};

function Connections({ connections, providers, reload }: Shown) {
  const texts = useWords(signOnWords);
  const { call, shell } = useBridge();
  const connect = useAction(async (provider: string) => {
    const { url } = await call(connectProvider, { params: { provider }, headers: { [appHeader]: 'browser' } });
    location.assign(url);
  });
  const free = providers.filter(({ id }) => !connections.some(({ provider }) => provider === id));
  return (
    <section className="card form">
      <h2>{texts.connections}</h2>
      <p className="quiet">{texts.connectionsText}</p>
      <SignInProblemNote />
      <ul className="lines">
        {connections.map(one => (
          <ConnectionLine key={one.id} connection={one} reload={reload} />
        ))}
      </ul>
      <Problem error={connect.error} />
      {shell === null && (
        <div className="actions">
          {free.map(({ id, title }) => (
            <Button
              key={id}
              label={texts.connect(title)}
              variant="plain"
              disabled={connect.isBusy}
              onClick={() => connect.run(id)}
            />
          ))}
        </div>
      )}
    </section>
  );
}

function ConnectionLine({ connection, reload }: { readonly connection: Connection; readonly reload: () => void }) {
  const texts = useWords(signOnWords);
  const language = useLanguage();
  const { call } = useBridge();
  const { run, isBusy, error } = useAction(async () => {
    await call(removeConnection, { params: { id: connection.id } });
    reload();
  });
  return (
    <li>
      <div className="name">
        <strong>{connection.title}</strong>
        <div className="quiet small">{texts.connectedSince(formatTime(connection.connectedAt, language))}</div>
        <Problem error={error} />
      </div>
      {connection.isOnly ? (
        <span className="quiet small">{texts.isOnly}</span>
      ) : (
        <Button
          label={texts.remove}
          variant="plain"
          aria-label={texts.removeLabel(connection.title)}
          disabled={isBusy}
          onClick={() => run()}
        />
      )}
    </li>
  );
}
