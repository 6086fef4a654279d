//go:build unix

package interop

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// bucket is the one that every store has.
const bucket = "bucket"

// store is a handler that keeps objects in memory.
func store(t *testing.T) http.Handler {
	backend := s3mem.New()
	if err := backend.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	return gofakes3.New(backend).Server()
}

// s3Client is Amazon's client over the transport of a site.
func (s *site) s3Client(opts ...func(*s3.Options)) *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: &s.url,
		UsePathStyle: true,
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("id", "secret", ""),
		HTTPClient:   s.client(),
		// As the configuration of a file or of the environment has it.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenSupported,
	}, opts...)
}

// unverified is for ranges, with which this server sends the checksum of the whole.
func unverified(o *s3.Options) {
	o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
}

func put(t *testing.T, c *s3.Client, key, text string) {
	t.Helper()
	in := &s3.PutObjectInput{Bucket: aws.String(bucket), Key: &key, Body: strings.NewReader(text)}
	if _, err := c.PutObject(t.Context(), in); err != nil {
		t.Errorf("put %q: %v", key, err)
	}
}

// wantObject gets an object and compares its content.
func wantObject(t *testing.T, c *s3.Client, key, want string) {
	t.Helper()
	out, err := c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(bucket), Key: &key})
	if err != nil {
		t.Errorf("get %q: %v", key, err)
		return
	}
	defer out.Body.Close()
	if got, err := io.ReadAll(out.Body); err != nil || string(got) != want {
		t.Errorf("%q is %s, %v, want %s", key, abridged(string(got)), err, abridged(want))
	}
}

// TestS3Objects puts, gets, lists, copies and deletes.
func TestS3Objects(t *testing.T) {
	dropIn(t, store, func(t *testing.T, s *site) {
		c, ctx, bucket := s.s3Client(), t.Context(), aws.String(bucket)
		text := strings.Repeat("0123456789", 10_000)
		in := &s3.PutObjectInput{
			Bucket: bucket, Key: aws.String("digits"), Body: strings.NewReader(text), ContentType: aws.String("text/plain; x=y"),
			// What is stored as gzip is not unpacked on its way: the client says that it wants it as it is.
			ContentEncoding: aws.String("gzip"), Metadata: map[string]string{"colour": "blue"},
		}
		if _, err := c.PutObject(ctx, in); err != nil {
			t.Fatal(err)
		}
		wantObject(t, c, "digits", text)
		head, err := c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: bucket, Key: in.Key})
		if err != nil || *head.ContentLength != int64(len(text)) || *head.ContentType != "text/plain; x=y" || head.Metadata["colour"] != "blue" {
			t.Errorf("head %+v, %v", head, err)
		}

		for _, r := range []struct{ header, want, content string }{
			{"bytes=10-14", "bytes 10-14/100000", "01234"},
			{"bytes=99998-", "bytes 99998-99999/100000", "89"},
			{"bytes=-3", "bytes 99997-99999/100000", "789"},
		} {
			out, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: in.Key, Range: &r.header}, unverified)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(out.Body)
			if err != nil || string(got) != r.content || *out.ContentRange != r.want || *out.ContentLength != int64(len(r.content)) {
				t.Errorf("%s: %q, %s, %v", r.header, got, *out.ContentRange, err)
			}
			out.Body.Close()
		}

		if _, err := c.CopyObject(ctx, &s3.CopyObjectInput{Bucket: bucket, Key: aws.String("copy"), CopySource: aws.String("bucket/digits")}); err != nil {
			t.Error(err)
		}
		wantObject(t, c, "copy", text)
		put(t, c, "empty", "")
		wantObject(t, c, "empty", "")

		out, err := c.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: bucket, Delete: &types.Delete{Objects: []types.ObjectIdentifier{
			{Key: aws.String("copy")}, {Key: aws.String("empty")},
		}}})
		if err != nil || len(out.Deleted) != 2 {
			t.Errorf("%+v, %v", out, err)
		}
		if _, err := c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: in.Key}); err != nil {
			t.Error(err)
		}
		if _, err := c.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: bucket}); err != nil {
			t.Error(err)
		}
	})
}

// TestS3Errors has the errors that the SDK makes of responses without content, with an XML document, and with a status that is none of its own.
func TestS3Errors(t *testing.T) {
	dropIn(t, store, func(t *testing.T, s *site) {
		c, ctx, bucket, absent := s.s3Client(), t.Context(), aws.String(bucket), aws.String("absent")
		var noKey *types.NoSuchKey
		if _, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: absent}); !errors.As(err, &noKey) {
			t.Errorf("got %v", err)
		}
		var notFound *types.NotFound
		if _, err := c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: bucket, Key: absent}); !errors.As(err, &notFound) {
			t.Errorf("head %v", err)
		}
		var noBucket *types.NoSuchBucket
		if _, err := c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: absent}); !errors.As(err, &noBucket) {
			t.Errorf("listed %v", err)
		}
		put(t, c, "a", "text")
		out, err := c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: bucket, Key: aws.String("a")})
		if err != nil {
			t.Fatal(err)
		}
		var status interface{ HTTPStatusCode() int }
		_, err = c.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: aws.String("a"), IfNoneMatch: out.ETag})
		if !errors.As(err, &status) || status.HTTPStatusCode() != http.StatusNotModified {
			t.Errorf("unchanged: %v", err)
		}
		var api smithy.APIError
		_, err = c.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: aws.String("a"), Range: aws.String("bytes=10-20")})
		if !errors.As(err, &api) || api.ErrorCode() != "InvalidRange" {
			t.Errorf("beyond the end: %v", err)
		}
	})
}

// TestS3Keys has names of objects that a URL says in another way, or would like to: the server must see each as it was signed.
func TestS3Keys(t *testing.T) {
	keys := []string{
		"a b", "a+b", "a%20b", "a%2Fb", "ü/日本", "q?x=y&z;w#f", `"quote's"`, `back\slash`, "<a>", "{b}|^`", "[c]", "~!$&()*,:=@-_.",
		"a//b", "/first", "last/", "tab\tline\n",
		"a/../b", "a/./b", "../c", "./c", "a/..", "a/.", "...", ".hidden", "a/..b/c", "%2e%2e/c", "a/%2E/c",
	}
	dropIn(t, store, func(t *testing.T, s *site) {
		c, ctx := s.s3Client(), t.Context()
		for _, key := range keys {
			put(t, c, key, "content of "+key)
		}
		for _, key := range keys {
			wantObject(t, c, key, "content of "+key)
		}
		out, err := c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: aws.String(bucket)})
		if err != nil {
			t.Fatal(err)
		}
		var listed []string
		for _, o := range out.Contents {
			listed = append(listed, *o.Key)
		}
		sorted := slices.Sorted(slices.Values(keys))
		if !slices.Equal(listed, sorted) {
			t.Errorf("listed %q\nwant   %q", listed, sorted)
		}
		for _, key := range keys {
			if _, err := c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: aws.String(bucket), Key: &key}); err != nil {
				t.Errorf("delete %q: %v", key, err)
			}
		}
		if out, err := c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: aws.String(bucket)}); err != nil || len(out.Contents) > 0 {
			t.Errorf("%d objects are left, %v", len(out.Contents), err)
		}
	})
}

// TestS3Pages lists page by page.
func TestS3Pages(t *testing.T) {
	dropIn(t, store, func(t *testing.T, s *site) {
		c := s.s3Client()
		for i := range 7 {
			put(t, c, fmt.Sprintf("dir é/%d", i), "")
		}
		put(t, c, "other", "")
		pages := s3.NewListObjectsV2Paginator(c, &s3.ListObjectsV2Input{Bucket: aws.String(bucket), Prefix: aws.String("dir é/"), MaxKeys: aws.Int32(3)})
		var got []string
		for pages.HasMorePages() {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range page.Contents {
				got = append(got, (*o.Key)[len("dir é/"):])
			}
			got = append(got, ".")
		}
		if want := "012.345.6."; strings.Join(got, "") != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// TestS3Multipart uploads parts at the same time. Each is large enough for the SDK to ask before (Expect: 100-continue).
func TestS3Multipart(t *testing.T) {
	dropIn(t, store, func(t *testing.T, s *site) {
		c, ctx, bucket, key := s.s3Client(), t.Context(), aws.String(bucket), aws.String("large")
		var parts [3][]byte
		for i := range parts {
			parts[i] = bytes.Repeat([]byte{byte('a' + i)}, 2<<20+i)
		}
		upload, err := c.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: bucket, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		done := make([]types.CompletedPart, len(parts))
		errs := make(chan error)
		for i, part := range parts {
			go func() {
				n := aws.Int32(int32(i + 1))
				out, err := c.UploadPart(ctx, &s3.UploadPartInput{Bucket: bucket, Key: key, UploadId: upload.UploadId, PartNumber: n, Body: bytes.NewReader(part)})
				if err == nil {
					done[i] = types.CompletedPart{PartNumber: n, ETag: out.ETag}
				}
				errs <- err
			}()
		}
		for range parts {
			if err := <-errs; err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
			Bucket: bucket, Key: key, UploadId: upload.UploadId, MultipartUpload: &types.CompletedMultipartUpload{Parts: done},
		}); err != nil {
			t.Fatal(err)
		}
		wantObject(t, c, *key, string(bytes.Join(parts[:], nil)))

		given, err := c.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: bucket, Key: aws.String("given up")})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: bucket, Key: given.Key, UploadId: given.UploadId}); err != nil {
			t.Error(err)
		}
		if !s.log.has("Expect: 100-continue") {
			t.Error("no part was asked for")
		}
	})
}

// TestS3Presigned uses the transport by itself, for a request that somebody else has signed.
func TestS3Presigned(t *testing.T) {
	dropIn(t, store, func(t *testing.T, s *site) {
		presign, ctx, bucket, key := s3.NewPresignClient(s.s3Client()), t.Context(), aws.String(bucket), aws.String("a b/ü+")
		up, err := presign.PresignPutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: key, ContentType: aws.String("text/x-odd")})
		if err != nil {
			t.Fatal(err)
		}
		down, err := presign.PresignGetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: key, ResponseContentType: aws.String("text/plain; charset=utf-8")})
		if err != nil {
			t.Fatal(err)
		}
		do := netHTTP(s.client())
		do(t, up.Method, up.URL, []byte("content"), "Content-Type", up.SignedHeader.Get("Content-Type")).want(t, 200, "")
		got := do(t, down.Method, down.URL, nil)
		got.want(t, 200, "content")
		got.wantHeader(t, "Content-Type", "text/plain; charset=utf-8")
	})
}
