import { Button, CloseButton } from '@mantine/core'
import { useEffect, useState } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import IconCircleCheck from '#icons/IconCircleCheck'
import { useStore } from '#lib/store.ts'
import { closeSnackbar, type Snackbar, snackbarStore } from './notify.ts'
import css from './snackbars.module.css'

/** The container of the snackbars, once in the app. Screen readers announce them. */
export function Snackbars() {
  const snackbars = useStore(snackbarStore)
  return (
    <section className={css['stack']} aria-label="Notifications" aria-live="polite">
      {snackbars.map((snackbar) => (
        <SnackbarItem key={snackbar.id} {...snackbar} />
      ))}
    </section>
  )
}

/** Closes by itself, but not while hovered or focused. */
function SnackbarItem({ id, kind, message, closeAfterMs, action }: Snackbar) {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = window.setTimeout(() => closeSnackbar(id), closeAfterMs)
    return () => window.clearTimeout(timer)
  }, [id, closeAfterMs, isHeld])
  const Icon = kind === 'done' ? IconCircleCheck : IconAlertTriangle
  return (
    <div
      className={css['snackbar']}
      data-kind={kind}
      role={kind === 'error' ? 'alert' : undefined}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon size={18} className={css['icon']} aria-hidden />
      <span className={css['message']}>{message}</span>
      {action && (
        <Button
          variant="outline"
          color="gray"
          size="compact-sm"
          onClick={() => {
            closeSnackbar(id)
            action.onClick()
          }}
        >
          {action.label}
        </Button>
      )}
      <CloseButton size={24} aria-label="Close the notification" onClick={() => closeSnackbar(id)} />
    </div>
  )
}
