// Reference server that is not attacked: it answers at once and does nothing else. The latency of its clients is that
// of the machine itself. Prints its address.
import { createServer } from 'node:http';

const server = createServer((_request, response) => response.end('here'));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
});
