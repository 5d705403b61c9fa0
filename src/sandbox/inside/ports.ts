// Where an agent finds its way out: what the shim listens on inside, and the gateway's sockets that it leads to.

/** Where the gateway's folder for one container is in it. */
export const gatewayFolder = "/run/sallyport";

export const proxyPort = 3128;
export const modelPort = 4000;

/** The names of the sockets in that folder. */
export const egressSocket = "egress.sock";
export const modelSocket = "model.sock";
export const toolsSocket = "tools.sock";

/** What the shim writes into the home: JSON of contents by path. */
export const filesList = "files.json";
