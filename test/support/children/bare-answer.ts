// What nobody attacks: a server that answers at once and does nothing else. How long its clients wait is what the machine
// itself keeps anyone waiting. Prints its address.
import { createServer } from 'node:http';

const server = createServer((_request, response) => response.end('here'));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
});
