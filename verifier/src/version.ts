// Version of the verifier, which its reports state.
export const verifierVersion = '0.1.0';
