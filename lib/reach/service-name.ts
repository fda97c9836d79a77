/**
 * The name in the certificate of every service. It says nothing of where the service is: its
 * authority alone says which service it is.
 */
export const serviceName = "service.sett";
