// SPDX-License-Identifier: GPL-2.0-only
#include "outfile.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "samefile.h"

/* The temporary file of the output that is being written, "" for none. */
static char unfinished[PATH_MAX];

void outfile_remove_unfinished(void)
{
	if (*unfinished)
		unlink(unfinished);
}

bool outfile_is_input(const char *name, const char *const inputs[], unsigned nr_inputs)
{
	struct stat out, in;
	unsigned i;

	if (stat(name, &out))
		return false;
	for (i = 0; i < nr_inputs; i++)
		if (!stat(inputs[i], &in) && same_file(&in, &out))
			return true;
	return false;
}

static int fail(const struct outfile *out, const char *cause, struct diag *diag)
{
	return diag_set(diag, ERR_WRITE, "%s: %s", out->name, cause);
}

#define SUFFIX ".XXXXXX"
#define SUFFIX_BYTES (sizeof(SUFFIX) - 1)

/* A temporary file called @format of @place. */
static int open_beside(struct outfile *out, const char *format, const char *place,
		       struct diag *diag)
{
	int len = snprintf(out->path, sizeof(out->path), format, place), fd;

	if (len < 0 || (size_t)len >= sizeof(out->path)) {
		*out->path = '\0';
		return fail(out, strerror(ENAMETOOLONG), diag);
	}
	fd = mkstemp(out->path);
	if (fd < 0)
		return fail(out, strerror(errno), diag);
	strcpy(unfinished, out->path);
	out->file = fdopen(fd, "w+");
	if (!out->file) {
		close(fd);
		outfile_abandon(out);
		return fail(out, strerror(errno), diag);
	}
	return 0;
}

#define MAX_LINKS 40	/* as the kernel */

/*
 * Where the symbolic link, or chain of them, out->target points to, though nothing
 * is there. Returns 0 or an errno.
 */
static int follow_links(struct outfile *out)
{
	char link[PATH_MAX], *slash;
	size_t dir_len;
	ssize_t len;
	unsigned i;

	for (i = 0; i < MAX_LINKS; i++) {
		len = readlink(out->target, link, sizeof(link) - 1);
		if (len < 0)
			return errno == EINVAL || errno == ENOENT ? 0 : errno;
		link[len] = '\0';
		slash = *link == '/' ? NULL : strrchr(out->target, '/');
		dir_len = slash ? slash + 1 - out->target : 0;
		if (dir_len + len >= sizeof(out->target))
			return ENAMETOOLONG;
		strcpy(out->target + dir_len, link);
	}
	return ELOOP;
}

/* A temporary file beside out->target, whose name may leave no room for more. */
static int open_beside_target(struct outfile *out, struct diag *diag)
{
	char place[PATH_MAX];
	const char *slash = strrchr(out->target, '/');
	size_t len = strlen(out->target), name_at = slash ? slash + 1 - out->target : 0;

	if (len - name_at > NAME_MAX)
		return fail(out, strerror(ENAMETOOLONG), diag);
	if (len - name_at > NAME_MAX - SUFFIX_BYTES)
		len = name_at + NAME_MAX - SUFFIX_BYTES;
	memcpy(place, out->target, len);
	place[len] = '\0';
	return open_beside(out, "%s" SUFFIX, place, diag);
}

int outfile_open(struct outfile *out, const char *name, const char *const inputs[],
		 unsigned nr_inputs, unsigned flags, struct diag *diag)
{
	const char *tmp_dir = getenv("TMPDIR");
	struct stat st;
	int error;

	memset(out, 0, sizeof(*out));
	out->name = name;
	/* a file that grows too large is an error like a full disk */
	signal(SIGXFSZ, SIG_IGN);
	if (!strcmp(name, "-") && !(flags & OUTFILE_NO_STDOUT)) {
		out->name = "standard output";
		out->file = stdout;
		return flags & OUTFILE_SEEKS ? open_beside(out, "%s/folioscope-XXXXXX",
							   tmp_dir ? tmp_dir : "/tmp", diag) :
					       0;
	}
	if (outfile_is_input(name, inputs, nr_inputs))
		return fail(out, "is what is read; write to another file", diag);
	if (!stat(name, &st))
		out->mode = st.st_mode;
	if (out->mode && !S_ISREG(out->mode)) {
		if (S_ISDIR(out->mode))
			return fail(out, strerror(EISDIR), diag);
		if (flags & OUTFILE_SEEKS)
			return fail(out, "is no regular file, and this cannot be written in one go",
				    diag);
		out->file = fopen(name, "w");
		return out->file ? 0 : fail(out, strerror(errno), diag);
	}
	/* a link stays a link */
	if (!realpath(name, out->target)) {
		if (errno != ENOENT)
			return fail(out, strerror(errno), diag);
		if (strlen(name) >= sizeof(out->target))
			return fail(out, strerror(ENAMETOOLONG), diag);
		strcpy(out->target, name);
		error = follow_links(out);
		if (error)
			return fail(out, strerror(error), diag);
	}
	return open_beside_target(out, diag);
}

static int copy_to_stdout(const struct outfile *out)
{
	char buf[65536];
	size_t nr;

	rewind(out->file);
	while ((nr = fread(buf, 1, sizeof(buf), out->file)) > 0)
		if (fwrite(buf, 1, nr, stdout) != nr)
			return -1;
	return ferror(out->file) ? -1 : 0;
}

int outfile_commit(struct outfile *out, struct diag *diag)
{
	bool is_bad = fflush(out->file) || ferror(out->file);
	mode_t mask;
	int error;

	if (!is_bad && *out->path && !*out->target)
		is_bad = copy_to_stdout(out);
	if (is_bad) {
		error = errno;
		outfile_abandon(out);
		return fail(out, error ? strerror(error) : "cannot be written", diag);
	}
	if (out->file == stdout)
		return 0;
	if (!*out->target) {
		outfile_abandon(out);
		return 0;
	}
	mask = umask(0);
	umask(mask);
	if (fchmod(fileno(out->file), out->mode ? out->mode & 0777 : 0666 & ~mask) || fclose(out->file) ||
	    rename(out->path, out->target)) {
		error = errno;
		unlink(out->path);
		*unfinished = '\0';
		return fail(out, strerror(error), diag);
	}
	*unfinished = '\0';
	return 0;
}

void outfile_abandon(struct outfile *out)
{
	if (out->file && out->file != stdout)
		fclose(out->file);
	if (*out->path)
		unlink(out->path);
	*unfinished = '\0';
	out->file = NULL;
}

int outfile_name_error(const char *name, int ret, struct diag *diag)
{
	struct diag plain = *diag;

	return ret == -ERR_WRITE ? diag_set(diag, ERR_WRITE, "%s: %s", name, plain.text) : ret;
}
