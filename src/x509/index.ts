export { createCertificate, readCertificate, type CertificateRequest, type Signer } from './certificate.ts';
export { ipAddressBytes } from './ip-address.ts';
export { decodePem, encodePem } from './pem.ts';
export { generateKey, generateRsaKey, keyFromPem, keyToPem } from './private-key.ts';
