// The part of expat's interface that src/formats/import/xml.c uses, answered by JavaScript (parse.c).
#ifndef HOLON_ENGINE_EXPAT_H
#define HOLON_ENGINE_EXPAT_H

#define XMLCALL

typedef char XML_Char;
typedef struct XML_ParserStruct *XML_Parser;
enum { XML_FALSE, XML_TRUE };
enum XML_Status { XML_STATUS_ERROR, XML_STATUS_OK };
enum XML_Error { XML_ERROR_NONE, XML_ERROR_NO_MEMORY, XML_ERROR_SYNTAX, XML_ERROR_TAG_MISMATCH };

typedef struct XML_Encoding {
  int map[256];
  void *data;
  int (*convert)(void *data, const char *s);
  void (*release)(void *data);
} XML_Encoding;

typedef void(XMLCALL *XML_StartElementHandler)(void *, const XML_Char *, const XML_Char **);
typedef void(XMLCALL *XML_EndElementHandler)(void *, const XML_Char *);
typedef void(XMLCALL *XML_CharacterDataHandler)(void *, const XML_Char *, int);
typedef void(XMLCALL *XML_StartDoctypeDeclHandler)(void *, const XML_Char *, const XML_Char *,
                                                   const XML_Char *, int);
typedef int(XMLCALL *XML_UnknownEncodingHandler)(void *, const XML_Char *, XML_Encoding *);

XML_Parser XML_ParserCreate(const XML_Char *encoding);
void XML_ParserFree(XML_Parser parser);
void XML_SetUserData(XML_Parser parser, void *data);
void XML_SetElementHandler(XML_Parser parser, XML_StartElementHandler start,
                           XML_EndElementHandler end);
void XML_SetCharacterDataHandler(XML_Parser parser, XML_CharacterDataHandler handler);
void XML_SetStartDoctypeDeclHandler(XML_Parser parser, XML_StartDoctypeDeclHandler handler);
void XML_SetUnknownEncodingHandler(XML_Parser parser, XML_UnknownEncodingHandler handler,
                                   void *data);
enum XML_Status XML_Parse(XML_Parser parser, const char *text, int size, int is_final);
int XML_StopParser(XML_Parser parser, int resumable);
enum XML_Error XML_GetErrorCode(XML_Parser parser);
const XML_Char *XML_ErrorString(enum XML_Error code);
unsigned long XML_GetCurrentLineNumber(XML_Parser parser);
unsigned long XML_GetCurrentColumnNumber(XML_Parser parser);
long XML_GetCurrentByteIndex(XML_Parser parser);

#endif
