import type { Profile } from '@portico/contract/own-account'
import { messages } from '@portico/contract/messages'
import { Stack } from '@mantine/core'
import { useRef, useState } from 'react'
import type { PercentCrop } from 'react-image-crop'
import { SavedMeanwhile, useEditing } from '#domain/editing'
import { noFields, useSubmit } from '#lib/submit.ts'
import { DialogButtons } from '#ui/dialog/dialog-buttons.tsx'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { PhotoCrop } from './photo-crop.tsx'
import { cropToJpeg } from './photo-drawing.ts'
import { PhotoField } from './photo-field.tsx'
import { photoProblem, squareOf } from './photo-file.ts'
import { getProfile, usePutPhoto } from './profile-queries.ts'
import { useFileUrl } from './use-file-url.ts'

const unreadable = 'This browser cannot read this image. Choose another one, such as a JPEG, PNG or WebP image.'

const photoOf = ({ photoURL }: Profile) => ({ photoURL })

const labels = { photoURL: 'Photo', userName: 'Name' }

const show = (_path: string, value: unknown): string =>
  value === chosenHere ? 'The image chosen here' : value === null ? 'No photo' : 'Another photo'

/** Placeholder for an image chosen in the dialog. */
const chosenHere = 'chosen here'

/**
 * The image upload dialog: an image file, of which a square becomes the photo. `profile`: as it was when the dialog
 * opened.
 */
export function PhotoDialog({ profile, onClose }: { profile: Profile; onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null)
  const [crop, setCrop] = useState<PercentCrop | null>(null)
  const image = useRef<HTMLImageElement>(null)
  const url = useFileUrl(file)
  const editing = useEditing<Profile, { photoURL: string | null }>({
    item: profile,
    read: getProfile,
    valuesOf: photoOf,
    form: { values: { photoURL: chosenHere }, rebase: onClose },
  })
  const { submit, problem, setProblem, isBusy } = useSubmit(noFields, usePutPhoto(editing.save), {
    done: () => {
      notifyDone('Your photo was changed.')
      onClose()
    },
  })

  function choose(chosen: File): void {
    const wrong = photoProblem(chosen)
    setProblem(wrong)
    if (wrong !== null) return
    setCrop(null)
    setFile(chosen)
  }

  function upload(): void {
    const drawn = image.current
    if (!drawn || !crop) return setProblem(messages.required)
    submit(cropToJpeg(drawn, squareOf(crop, { width: drawn.naturalWidth, height: drawn.naturalHeight })))
  }

  return (
    <FormDialog title="Upload an image" width={520} guard={{ isDirty: file !== null, isBusy }} onClose={onClose}>
      <DialogForm
        onSubmit={upload}
        footer={
          <DialogButtons onCancel={onClose} isBusy={isBusy}>
            Upload
          </DialogButtons>
        }
      >
        <SavedMeanwhile {...{ editing, labels, show, isBusy }} onOverwrite={upload} />
        <Stack gap="sm">
          <FormProblem>{problem}</FormProblem>
          <PhotoField hasFile={file !== null} isDisabled={isBusy} onChoose={choose} />
          {url !== null && (
            <PhotoCrop
              key={url}
              url={url}
              image={image}
              crop={crop}
              onCrop={setCrop}
              onUnreadable={() => {
                setFile(null)
                setProblem(unreadable)
              }}
            />
          )}
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}
