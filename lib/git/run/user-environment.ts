// The environment of git when it works for the user.

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A hook or an alias of git that called us has set variables that name its own repository, index
 * and so on.
 */
export function withoutRepository(env: Environment): Environment {
  const ofTheUser =
    /^GIT_(?:EXEC_PATH|SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_SSL_\w+|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL))$/;
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith("GIT_") || ofTheUser.test(name)),
  );
}
