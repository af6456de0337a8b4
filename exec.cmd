@rem "npm start" replaces its shell by "exec", so that signals reach the portal; Windows has no such command.
@%*
