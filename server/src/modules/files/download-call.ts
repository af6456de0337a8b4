/** The absolute URL of the call that gives a signed link to a file of Downloads. Programs follow it as it is. */
export const downloadCall = ({ publicUrl }: { publicUrl: string }, file: string): string =>
  `${publicUrl}/api/contact-service/v1/downloads/${file}`
