export const verifierVersion = '0.1.0';
