import { Alert, Button, Group, TextInput } from '@mantine/core'
import IconCircleCheck from '#icons/IconCircleCheck'
import IconCopy from '#icons/IconCopy'
import { notifyDone } from '#ui/feedback/notify.ts'

/**
 * Copies the link; false if the browser does not let pages write to the clipboard: that requires a secure address and
 * the user's permission.
 */
export async function copyLink(url: string): Promise<boolean> {
  try {
    // Missing on plain http, contrary to its type.
    const clipboard = navigator.clipboard as Clipboard | undefined
    if (!clipboard) return false
    await clipboard.writeText(url)
    notifyDone('The URL was copied to the clipboard.')
    return true
  } catch {
    return false
  }
}

type CreatedLinkProps = { url: string; onClose: () => void }

/** A link that was just created. It cannot be shown again, as only its token's hash is stored. */
export function CreatedLink({ url, onClose }: CreatedLinkProps) {
  return (
    <Alert
      color="green"
      icon={<IconCircleCheck size={18} />}
      title="Link created"
      withCloseButton
      closeButtonLabel="Close the link"
      onClose={onClose}
    >
      Copy it now: you cannot see it again later. Anyone who opens it from that address has the permissions you chose,
      until it expires or is revoked.
      <Group gap="xs" mt="xs" wrap="nowrap" align="flex-end">
        <TextInput
          aria-label="Impersonation URL"
          readOnly
          flex={1}
          value={url}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button
          variant="default"
          leftSection={<IconCopy size={15} aria-hidden />}
          onClick={() => void copyLink(url).then((isCopied) => isCopied || selectLink())}
        >
          Copy
        </Button>
      </Group>
    </Alert>
  )
}

/** Lets the user copy the link with the keyboard if the page may not. */
function selectLink(): void {
  document.querySelector<HTMLInputElement>('[aria-label="Impersonation URL"]')?.focus()
}
