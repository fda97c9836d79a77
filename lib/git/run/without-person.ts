// Names Sett as who makes a commit that no person has asked for.

/** For the environment of git. */
export const withoutPerson = {
  ...{ GIT_AUTHOR_NAME: "Sett", GIT_AUTHOR_EMAIL: "sett@sett.invalid" },
  ...{ GIT_COMMITTER_NAME: "Sett", GIT_COMMITTER_EMAIL: "sett@sett.invalid" },
};
