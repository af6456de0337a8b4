import { notifications } from '@mantine/notifications'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import IconCheck from '#icons/IconCheck'

/** The snackbar that confirms an act: 4 seconds. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'teal', icon: <IconCheck size={16} aria-hidden />, autoClose: 4_000 })
}

/** What went wrong outside a form: 10 seconds, until closed at most. The same text is shown once at a time. */
export function notifyError(message: string): void {
  notifications.show({
    id: `error:${message}`,
    message,
    color: 'red',
    icon: <IconAlertTriangle size={16} aria-hidden />,
    autoClose: 10_000,
    role: 'alert',
  })
}
