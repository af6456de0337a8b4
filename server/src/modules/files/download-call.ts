/** Returns the absolute URL of the call that gives a signed link to a file of Downloads. Programs use it unchanged. */
export const downloadCall = ({ publicUrl }: { publicUrl: string }, file: string): string =>
  `${publicUrl}/api/contact-service/v1/downloads/${file}`
