// SPDX-License-Identifier: GPL-2.0-only
#include "textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(int fd, enum err err, const char *path, const char *what, struct diag *diag)
{
	close(fd);
	return diag_set(diag, err, "%s: %s", path, what);
}

int textfile_open(FILE **ret, const char *path, struct diag *diag)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ?
			       diag_set(diag, ERR_NO_FILE, "%s: no such file", path) :
			       diag_set(diag, ERR_NO_ACCESS, "%s: cannot be opened: %s", path,
					strerror(errno));
	if (fstat(fd, &st) < 0)
		return refuse(fd, ERR_NO_ACCESS, path, strerror(errno), diag);
	if (S_ISDIR(st.st_mode))
		return refuse(fd, ERR_IS_DIR, path, "is a directory", diag);
	if (!S_ISREG(st.st_mode))
		return refuse(fd, ERR_NOT_REGULAR, path,
			      "is not a regular file, which it has to be", diag);
	*ret = fdopen(fd, "r");
	return *ret ? 0 : refuse(fd, ERR_NOMEM, path, err_text(ERR_NOMEM), diag);
}
