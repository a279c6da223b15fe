/** The version of this program: that of package.json, which a test holds equal. */
export const version = '0.1.0';
