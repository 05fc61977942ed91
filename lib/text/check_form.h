/* check_form: what each file holds, and that it is whole: all that a reader must check is
 * checked. */
#ifndef RANKPIPE_CHECK_FORM_H
#define RANKPIPE_CHECK_FORM_H

#include "base/fault.h"
#include "stream/reader.h"
#include "stream/round.h"
#include "text/forms.h"

/* Check what the reader of the stream has not: the features of a round, the weights of a model. 0
 * or a fault, without a place. */
int check_form(struct printer *printer, const struct round *round, struct fault *fault);
int check_form_model(struct printer *printer, const struct record *model, struct fault *fault);

/* The end of a file: prints what it holds. After a fault in the stream puts the place before the
 * fault, as "record 18 at byte 40213 of ". 0 or a fault. */
int check_form_input(struct printer *printer, const struct reader *reader, struct fault *fault);

/* The end of all files: prints the same of records that came from none, but from a program in the
 * same process. 0 or a fault. */
int check_form_end(struct printer *printer, struct fault *fault);

#endif
