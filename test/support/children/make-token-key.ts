// Makes an AES key in a token, as an operator would with a tool of the module's vendor: in a process of its own, so
// that the server under test neither makes keys nor is logged in by it.
import { loadPkcs11 } from '@recordproof/server/platform/crypto/pkcs11-library.ts';
import { childInput } from '../child.ts';

export type TokenKeyInput = {
  readonly module: string;
  readonly token: string;
  readonly pin: string;
  readonly label: string;
  readonly id: string;
  readonly extractable: boolean;
  readonly encrypts: boolean;
};

const { module, token, pin, label, id, extractable, encrypts } = childInput<TokenKeyInput>();
const pkcs11 = await loadPkcs11();
const library = new pkcs11.PKCS11();
library.load(module);
library.C_Initialize();
const slot = library.C_GetSlotList(true).find(each => library.C_GetTokenInfo(each).label.trim() === token);
if (slot === undefined) throw new Error(`there is no token ${token}`);
const session = library.C_OpenSession(slot, pkcs11.CKF_SERIAL_SESSION | pkcs11.CKF_RW_SESSION);
library.C_Login(session, pkcs11.CKU_USER, pin);
library.C_GenerateKey(session, { mechanism: pkcs11.CKM_AES_KEY_GEN }, [
  { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
  { type: pkcs11.CKA_KEY_TYPE, value: pkcs11.CKK_AES },
  { type: pkcs11.CKA_VALUE_LEN, value: 32 },
  { type: pkcs11.CKA_LABEL, value: label },
  { type: pkcs11.CKA_ID, value: Buffer.from(id, 'hex') },
  { type: pkcs11.CKA_TOKEN, value: true },
  { type: pkcs11.CKA_PRIVATE, value: true },
  { type: pkcs11.CKA_SENSITIVE, value: true },
  { type: pkcs11.CKA_EXTRACTABLE, value: extractable },
  { type: pkcs11.CKA_ENCRYPT, value: encrypts },
  { type: pkcs11.CKA_DECRYPT, value: true },
]);
library.C_CloseSession(session);
library.C_Finalize();
