import { defaultSftpPort, type NotificationInput } from '@portico/contract/notifications'

/** Short description: the recipients, or the destination of the file. */
export function describeNotification(notification: NotificationInput): string {
  if (notification.type === 'email') return `E-mail to ${notification.to}`
  if (notification.type === 'http') return `${notification.method.toUpperCase()} ${notification.endpoint}`
  const { user, host, port, folder } = notification
  return `SFTP ${user}@${host}:${port ?? defaultSftpPort}${folder ? ` ${folder}` : ''}`
}
